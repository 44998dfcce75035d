package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Registry finds the engine for a kind or a campaign. It is immutable.
type Registry struct {
	byKind     map[string]Engine
	byCampaign map[string]Engine
	unhosted   map[string]bool
	campaigns  []Summary
}

// NewRegistry registers engines. unhosted are campaigns that are there but
// whose kind no engine hosts: they are not listed, and starting one is
// unknown_kind. Two engines of one kind, or two campaigns of one id, are an
// error.
func NewRegistry(engines []Engine, unhosted []Summary) (*Registry, error) {
	r := &Registry{
		byKind:     map[string]Engine{},
		byCampaign: map[string]Engine{},
		unhosted:   map[string]bool{},
	}
	for _, e := range engines {
		if _, ok := r.byKind[e.Kind()]; ok {
			return nil, fmt.Errorf("engine registry: two engines of kind %q", e.Kind())
		}
		r.byKind[e.Kind()] = e
		for _, c := range e.Campaigns() {
			if _, ok := r.byCampaign[c.CampaignID]; ok {
				return nil, fmt.Errorf("engine registry: two campaigns with id %q", c.CampaignID)
			}
			r.byCampaign[c.CampaignID] = e
			r.campaigns = append(r.campaigns, c)
		}
	}
	for _, c := range unhosted {
		r.unhosted[c.CampaignID] = true
	}
	slices.SortFunc(r.campaigns, func(a, b Summary) int { return strings.Compare(a.CampaignID, b.CampaignID) })
	return r, nil
}

// Campaigns lists what can be started, sorted by id. The caller must not
// change it.
func (r *Registry) Campaigns() []Summary { return r.campaigns }

// ForCampaign finds the engine that hosts a campaign: unknown_campaign where
// there is no such campaign, unknown_kind where no engine hosts its kind.
func (r *Registry) ForCampaign(campaignID string) (Engine, error) {
	if e, ok := r.byCampaign[campaignID]; ok {
		return e, nil
	}
	if r.unhosted[campaignID] {
		return nil, fault.New(fault.UnknownKind, nil)
	}
	return nil, fault.New(fault.UnknownCampaign, nil)
}

// ForVersion finds the engine for what a row records as its engine version
// ("kind@version"); false where no engine of that kind is registered.
func (r *Registry) ForVersion(engineVersion string) (Engine, bool) {
	kind, _, _ := strings.Cut(engineVersion, "@")
	e, ok := r.byKind[kind]
	return e, ok
}

// VersionOf is what a row records of the engine that wrote it.
func VersionOf(e Engine) string { return e.Kind() + "@" + e.Version() }
