package bench

import (
	"embed"
	"fmt"
	"io/fs"
)

// The campaign that is played and the blob that all rows begin with.
var (
	//go:embed testdata/campaigns/*.yaml
	campaignFiles embed.FS
	//go:embed testdata/blob.json
	blob string
)

// What the blob is made from, and the move that is measured: one counter, no
// condition, back to the same scene.
const (
	campaignID    = "saltmarsh"
	gameID        = "5f0c2d9be1a84c7796d3a0b1c2e4f588"
	seed          = "benchmark"
	actionID      = "haggle"
	engineVersion = "story-graph@1"
)

// CampaignFile is the campaign's file in [Campaigns].
const CampaignFile = campaignID + ".yaml"

// Campaigns is the folder of the campaign.
func Campaigns() fs.FS {
	files, err := fs.Sub(campaignFiles, "testdata/campaigns")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

const (
	// idPrefix and idBase make ids of 32 digits out of row numbers in a way
	// that pgbench can follow, whose variables are 64 bits wide.
	idPrefix = "0000000000000"
	idBase   = 1_000_000_000_000_000_000
)

// sessionID is the id of a row, from 0.
func sessionID(row int) string { return fmt.Sprintf("%s%d", idPrefix, idBase+row) }
