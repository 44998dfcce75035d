package wire

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// few is up to how many members an object's names are searched one by one;
// beyond it a table finds them.
const few = 64

// name is a member's name: where its text lies in the body, and the hash of
// what the text stands for.
type name struct {
	hash       uint64
	start, end uint32
}

// table finds names by their hash: open addressing, linear probing, at most
// half full. Its length is a power of two. A slot holds 0 or the number of a
// name among all names, counted from 1.
type table []uint32

// seed is fresh in each process, so that nobody can choose names that collide.
var seed = maphash.MakeSeed()

// newName is the name whose text lies in the body from start to end.
func newName(body []byte, start, end int) name {
	return name{
		hash:  maphash.Bytes(seed, unescape(body[start:end])),
		start: uint32(start),
		end:   uint32(end),
	}
}

// distinct says whether the last name is a new one in the object f, to which
// it belongs.
func distinct(body []byte, f *frame, names []name) bool {
	last := len(names) - 1
	known, n := names[f.names:last], names[last]
	if len(known) < few {
		for i := range known {
			if known[i].hash == n.hash && same(body, known[i], n) {
				return false
			}
		}
		return true
	}
	if 2*len(known) >= len(f.table) {
		f.table = make(table, 1<<bits.Len(uint(2*len(known))))
		for i := f.names; i < last; i++ {
			f.table.insert(body, names, i)
		}
	}
	return f.table.insert(body, names, last)
}

// insert puts the name at index i of all names into the table, and says
// whether it is new there.
func (t table) insert(body []byte, names []name, i int) bool {
	mask := uint64(len(t) - 1)
	for slot := names[i].hash & mask; ; slot = (slot + 1) & mask {
		switch {
		case t[slot] == 0:
			t[slot] = uint32(i + 1)
			return true
		case names[t[slot]-1].hash == names[i].hash && same(body, names[t[slot]-1], names[i]):
			return false
		}
	}
}

// same says whether two names stand for the same text, whatever their hashes.
func same(body []byte, a, b name) bool {
	return bytes.Equal(unescape(body[a.start:a.end]), unescape(body[b.start:b.end]))
}

// unescape is what the text of a well-formed string stands for.
func unescape(text []byte) []byte {
	i := bytes.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	plain := append(make([]byte, 0, len(text)), text[:i]...)
	for ; i < len(text); i++ {
		if text[i] != '\\' {
			plain = append(plain, text[i])
			continue
		}
		i++
		switch text[i] {
		case 'b':
			plain = append(plain, '\b')
		case 'f':
			plain = append(plain, '\f')
		case 'n':
			plain = append(plain, '\n')
		case 'r':
			plain = append(plain, '\r')
		case 't':
			plain = append(plain, '\t')
		case 'u':
			u, _ := hex4(text[i+1:])
			i += 4
			if isHigh(u) {
				low, _ := hex4(text[i+3:])
				u = utf16.DecodeRune(u, low)
				i += 6
			}
			plain = utf8.AppendRune(plain, u)
		default:
			plain = append(plain, text[i])
		}
	}
	return plain
}
