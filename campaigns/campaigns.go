// Package campaigns holds the campaigns that come with Holdfast. Each file is
// one version of one campaign; docs/campaigns.md says how to write them.
package campaigns

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// FS is the folder of the bundled campaigns.
var FS fs.FS = files
