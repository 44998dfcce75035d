package app

import (
	"fmt"

	"go.uber.org/fx"

	"github.com/holdfast-dev/holdfast/api/contract"
	"github.com/holdfast-dev/holdfast/core/engine"
)

// contractModule fails start-up where the contract and the binary disagree
// on the engine port. It comes first: no retry can mend it.
var contractModule = fx.Module("contract",
	fx.Invoke(func() error { return checkEngineVersion(contract.EngineVersion, engine.PortVersion) }),
)

func checkEngineVersion(recorded, resolved string) error {
	if recorded != resolved {
		return fmt.Errorf("the contract was written for version %s of the engine port (info.x-engine-version), this binary has %s: build contract and binary from one source", recorded, resolved)
	}
	return nil
}
