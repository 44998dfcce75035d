package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"github.com/holdfast-dev/holdfast/api/public"
	"github.com/holdfast-dev/holdfast/core/health"
	"github.com/holdfast-dev/holdfast/core/session"
	"github.com/holdfast-dev/holdfast/core/wire"
)

// operations implements the generated server's handler: each method decodes
// what the contract leaves raw, asks the dispatcher, and encodes the answer.
type operations struct {
	sessions *session.Service
	health   *health.Probe
	// record logs an error that an operation answers with.
	record func(context.Context, wire.Refusal, error)
}

var _ public.Handler = operations{}

func (o operations) ListCampaigns(context.Context, *public.ListCampaignsRequest) (*public.CampaignListHeaders, error) {
	campaigns := o.sessions.ListCampaigns()
	list := make([]public.CampaignSummary, len(campaigns))
	for i, c := range campaigns {
		list[i] = public.CampaignSummary{CampaignId: c.CampaignID, KindId: c.KindID, TitleKey: c.TitleKey}
	}
	return &public.CampaignListHeaders{Response: list}, nil
}

func (o operations) CreateSession(ctx context.Context, req *public.CreateSessionRequest) (*public.StartedSessionHeaders, error) {
	begin := session.Begin{CampaignID: req.CampaignId, ProfileID: req.ProfileId.Value, Audience: session.AudienceOf(ctx)}
	if seed, ok := req.Seed.Get(); ok {
		text := seed.String
		if seed.IsInt64() {
			text = strconv.FormatInt(seed.Int64, 10)
		}
		begin.Seed = &text
	}
	return started(o.sessions.CreateSession(ctx, begin))
}

func (o operations) LoadGame(ctx context.Context, req *public.LoadGameRequest) (*public.StartedSessionHeaders, error) {
	return started(o.sessions.LoadGame(ctx, req.SaveId))
}

func started(s session.Started, err error) (*public.StartedSessionHeaders, error) {
	if err != nil {
		return nil, err
	}
	return &public.StartedSessionHeaders{
		ETag:     etag(s.SessionID, s.Version),
		Response: public.StartedSession{SessionId: s.SessionID, Scene: scene(s.Scene)},
	}, nil
}

func (o operations) GetScene(ctx context.Context, req *public.SessionRequest) (*public.SceneHeaders, error) {
	shown, err := o.sessions.GetScene(ctx, req.SessionId)
	if err != nil {
		return nil, err
	}
	return &public.SceneHeaders{ETag: etag(req.SessionId, shown.Version), Response: scene(shown.Value)}, nil
}

func (o operations) ResumeSession(ctx context.Context, req *public.SessionRequest) (*public.SceneHeaders, error) {
	shown, err := o.sessions.ResumeSession(ctx, req.SessionId)
	if err != nil {
		return nil, err
	}
	return &public.SceneHeaders{ETag: etag(req.SessionId, shown.Version), Response: scene(shown.Value)}, nil
}

func (o operations) GetView(ctx context.Context, req *public.SessionRequest) (*public.ViewHeaders, error) {
	shown, err := o.sessions.GetView(ctx, req.SessionId)
	if err != nil {
		return nil, err
	}
	return &public.ViewHeaders{ETag: etag(req.SessionId, shown.Version), Response: view(shown.Value)}, nil
}

func (o operations) GetStrings(ctx context.Context, req *public.SessionRequest) (*public.StringsHeaders, error) {
	texts, err := o.sessions.GetStrings(ctx, req.SessionId)
	if err != nil {
		return nil, err
	}
	return &public.StringsHeaders{Response: orderedStrings(texts)}, nil
}

func (o operations) PreviewAction(ctx context.Context, req *public.ActionRequest) (*public.ActionResultHeaders, error) {
	act, err := action(req)
	if err != nil {
		return nil, err
	}
	shown, err := o.sessions.PreviewAction(ctx, act)
	if err != nil {
		return nil, err
	}
	return &public.ActionResultHeaders{ETag: etag(req.SessionId, shown.Version), Response: result(shown.Value)}, nil
}

func (o operations) SubmitAction(ctx context.Context, req *public.ActionRequest, params public.SubmitActionParams) (*public.ActionResultHeaders, error) {
	act, err := action(req)
	if err != nil {
		return nil, err
	}
	pre, err := precondition(req.SessionId, params.IfMatch)
	if err != nil {
		return nil, err
	}
	shown, err := o.sessions.SubmitAction(ctx, act, pre)
	if err != nil {
		return nil, err
	}
	return &public.ActionResultHeaders{ETag: etag(req.SessionId, shown.Version), Response: result(shown.Value)}, nil
}

func (o operations) SaveGame(ctx context.Context, req *public.SessionRequest, params public.SaveGameParams) (*public.SavedGameHeaders, error) {
	pre, err := precondition(req.SessionId, params.IfMatch)
	if err != nil {
		return nil, err
	}
	saveID, err := o.sessions.SaveGame(ctx, req.SessionId, pre)
	if err != nil {
		return nil, err
	}
	return &public.SavedGameHeaders{Response: public.SavedGame{SaveId: saveID}}, nil
}

func (o operations) Livez(context.Context) (*public.Liveness, error) {
	return &public.Liveness{Status: public.LivenessStatusLive}, nil
}

func (o operations) Readyz(ctx context.Context) (public.ReadyzRes, error) {
	report := o.health.Evaluate(ctx)
	body := public.Readiness{
		Status: public.ReadinessStatus(report.Status),
		Checks: public.Checks{Store: public.Check(report.Store), Journal: public.Check(report.Journal)},
	}
	if report.Detail != "" {
		body.Detail = public.NewOptString(report.Detail)
	}
	if report.Status == health.NotReady {
		unready := public.ReadyzServiceUnavailable(body)
		return &unready, nil
	}
	ready := public.ReadyzOK(body)
	return &ready, nil
}

// NewError is the error of an operation as the contract shapes it.
func (o operations) NewError(ctx context.Context, err error) *public.ErrorStatusCodeWithHeaders {
	a := wire.Refuse(err)
	o.record(ctx, a, err)
	e := &public.ErrorStatusCodeWithHeaders{
		StatusCode: a.Status,
		Response:   public.Error{Code: public.ErrorCode(a.Code), Correlation: wire.CorrelationOf(ctx)},
	}
	if a.At != "" {
		e.XErrorAt = public.NewOptString(a.At)
	}
	if a.Status == http.StatusServiceUnavailable {
		e.RetryAfter = public.NewOptInt(wire.RetryAfter)
	}
	return e
}
