//go:build !linux

package bench

// processor and kernel are not known on this system.
func processor() string { return "" }

func kernel() string { return "" }
