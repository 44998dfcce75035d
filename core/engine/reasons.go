package engine

// Codes of the problems that every engine reports alike. The string key of
// each is "core.reason." and the code, and every campaign has a text for it.
const (
	ReasonUnknownAction     = "unknown_action"
	ReasonActionUnavailable = "action_unavailable"
	ReasonConditionUnmet    = "condition_unmet"
	ReasonInvalidParams     = "invalid_params"
	ReasonGameEnded         = "game_ended"

	// Warnings that the host adds (spec 10, Profiles).
	ReasonProfileMissing     = "profile_missing"
	ReasonProfileCorrupt     = "profile_corrupt"
	ReasonProfileWriteFailed = "profile_write_failed"
)

// ReasonKey is the string key of a reason code.
func ReasonKey(code string) string { return "core.reason." + code }

// ReasonTexts are the English texts of the reason codes by string key; an
// engine merges them under a campaign's own strings.
func ReasonTexts() map[string]string {
	return map[string]string{
		ReasonKey(ReasonUnknownAction):      "There is no such action here.",
		ReasonKey(ReasonActionUnavailable):  "That is not possible now.",
		ReasonKey(ReasonConditionUnmet):     "What this needs is not met yet.",
		ReasonKey(ReasonInvalidParams):      "The action does not take these parameters.",
		ReasonKey(ReasonGameEnded):          "The game is over.",
		ReasonKey(ReasonProfileMissing):     "There is no profile yet; no achievements are known.",
		ReasonKey(ReasonProfileCorrupt):     "The profile could not be read; no achievements are known for now.",
		ReasonKey(ReasonProfileWriteFailed): "The move counts, but its achievements are not on the profile yet.",
	}
}
