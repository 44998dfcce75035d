package wire

import "context"

type correlationKey struct{}

// WithCorrelation returns a context that carries a request's correlation, so
// that its log lines can show it.
func WithCorrelation(ctx context.Context, correlation string) context.Context {
	return context.WithValue(ctx, correlationKey{}, correlation)
}

// CorrelationOf is the correlation that a context carries, or "".
func CorrelationOf(ctx context.Context) string {
	c, _ := ctx.Value(correlationKey{}).(string)
	return c
}
