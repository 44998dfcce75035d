package session

import "context"

type audienceKey struct{}

// WithAudience returns a context that says for whom sessions begin: a surface
// that is not for players sets it before it hands a request on.
func WithAudience(ctx context.Context, audience Audience) context.Context {
	return context.WithValue(ctx, audienceKey{}, audience)
}

// AudienceOf is the audience that a context carries; without one, Player.
func AudienceOf(ctx context.Context) Audience {
	if audience, ok := ctx.Value(audienceKey{}).(Audience); ok {
		return audience
	}
	return Player
}
