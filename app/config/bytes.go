package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Bytes is a size: a number of bytes, or of KiB, MiB or GiB.
type Bytes int64

// UnmarshalText reads 1048576, 1024KiB, 1MiB and the like.
func (b *Bytes) UnmarshalText(text []byte) error {
	s, unit := strings.TrimSpace(string(text)), int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			s, unit = strings.TrimSpace(number), size
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > (1<<62)/unit {
		return fmt.Errorf("%q is not a size; accepted: a number of bytes, or of KiB, MiB or GiB, such as 1MiB", text)
	}
	*b = Bytes(n * unit)
	return nil
}
