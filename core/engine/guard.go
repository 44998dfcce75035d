package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdfast-dev/holdfast/core/fault"
)

// Guard bounds an engine from outside: a panic, a blob of more than [MaxBlob]
// bytes on either side, and a call that gives up because its time is over
// become internal_failure. The time is the deadline of the call's context, or
// limit where it has none; a call whose context is over before it begins is
// not made. The engine is expected to look at its context wherever its work
// is not bounded by size.
func Guard(e Engine, limit time.Duration) Engine { return guarded{Engine: e, limit: limit} }

type guarded struct {
	Engine
	limit time.Duration
}

func (g guarded) Start(ctx context.Context, req Start) (Position, error) {
	return bounded(ctx, g.limit, "", func(p Position) string { return p.Blob }, func(ctx context.Context) (Position, error) {
		return g.Engine.Start(ctx, req)
	})
}

func (g guarded) Scene(ctx context.Context, blob string) (Scene, error) {
	return bounded(ctx, g.limit, blob, none[Scene], func(ctx context.Context) (Scene, error) { return g.Engine.Scene(ctx, blob) })
}

func (g guarded) View(ctx context.Context, blob string) (View, error) {
	return bounded(ctx, g.limit, blob, none[View], func(ctx context.Context) (View, error) { return g.Engine.View(ctx, blob) })
}

func (g guarded) Strings(ctx context.Context, blob string) (map[string]string, error) {
	return bounded(ctx, g.limit, blob, none[map[string]string], func(ctx context.Context) (map[string]string, error) {
		return g.Engine.Strings(ctx, blob)
	})
}

func (g guarded) Apply(ctx context.Context, blob string, move Move) (Outcome, error) {
	return bounded(ctx, g.limit, blob, func(o Outcome) string { return o.Blob }, func(ctx context.Context) (Outcome, error) {
		return g.Engine.Apply(ctx, blob, move)
	})
}

func (g guarded) Resume(ctx context.Context, blob string) (Resumed, error) {
	return bounded(ctx, g.limit, blob, none[Resumed], func(ctx context.Context) (Resumed, error) { return g.Engine.Resume(ctx, blob) })
}

func (g guarded) Load(ctx context.Context, blob string) (Position, error) {
	return bounded(ctx, g.limit, blob, func(p Position) string { return p.Blob }, func(ctx context.Context) (Position, error) {
		return g.Engine.Load(ctx, blob)
	})
}

func none[T any](T) string { return "" }

func bounded[T any](ctx context.Context, limit time.Duration, in string, out func(T) string, call func(context.Context) (T, error)) (result T, err error) {
	if len(in) > MaxBlob {
		return result, fault.New(fault.InternalFailure, fmt.Errorf("engine: a blob of %d bytes came in, the limit is %d", len(in), MaxBlob))
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	defer func() {
		// The value that the engine panicked with may quote the blob, so it
		// is not passed on.
		if r := recover(); r != nil {
			var zero T
			result, err = zero, fault.New(fault.InternalFailure, fmt.Errorf("engine: panic (%T)", r))
		}
	}()
	if err := ctx.Err(); err != nil {
		return result, err
	}
	result, err = call(ctx)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fault.New(fault.InternalFailure, fmt.Errorf("engine: a call took longer than it may: %w", context.DeadlineExceeded))
		}
		return result, err
	}
	if n := len(out(result)); n > MaxBlob {
		var zero T
		return zero, fault.New(fault.InternalFailure, fmt.Errorf("engine: a blob of %d bytes came out, the limit is %d", n, MaxBlob))
	}
	return result, nil
}
