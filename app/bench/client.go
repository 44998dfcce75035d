package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// request is an HTTP/1.1 request whose bytes are built once; only the session
// id in it changes.
type request struct {
	bytes []byte
	id    int // where the session id begins
}

// newRequest builds the POST of an operation. The body has one %s, where the
// session id goes.
func newRequest(path, body string) *request {
	body = fmt.Sprintf(body, sessionID(0))
	text := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: holdfast\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
	return &request{bytes: []byte(text), id: bytes.Index([]byte(text), []byte(sessionID(0)))}
}

// address names the session of a row.
func (r *request) address(row int) {
	strconv.AppendInt(r.bytes[:r.id+len(idPrefix)], int64(idBase+row), 10)
}

// maxAnswer is the longest answer that a client takes.
const maxAnswer = 1 << 20

var (
	errNoLength = errors.New("the answer has no Content-Length")
	errTooLong  = fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	errTrailing = errors.New("the answer is longer than its Content-Length")
	errStatus   = errors.New("the answer is not HTTP/1.1")
)

// client is one keep-alive connection. It reads of an answer only what it
// needs: the status and, by Content-Length, the body.
type client struct {
	conn net.Conn
	in   []byte
}

// dial connects; whatever hangs ends at the deadline.
func dial(ctx context.Context, address string, deadline time.Time) (*client, error) {
	conn, err := (&net.Dialer{Deadline: deadline}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &client{conn: conn, in: make([]byte, 0, 32<<10)}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// do sends a request and returns the answer, which is good until the next.
func (c *client) do(req []byte) (status int, body []byte, err error) {
	if _, err := c.conn.Write(req); err != nil {
		return 0, nil, err
	}
	c.in = c.in[:0]
	total := 0 // 0 until the head is complete
	head := 0
	for {
		if total > 0 && len(c.in) >= total {
			if len(c.in) > total {
				return 0, nil, errTrailing
			}
			return status, c.in[head:], nil
		}
		if len(c.in) == cap(c.in) {
			if len(c.in) >= maxAnswer {
				return 0, nil, errTooLong
			}
			c.in = append(c.in, 0)[:len(c.in)]
		}
		n, err := c.conn.Read(c.in[len(c.in):cap(c.in)])
		if err != nil {
			return 0, nil, err
		}
		c.in = c.in[:len(c.in)+n]
		if total > 0 {
			continue
		}
		if i := bytes.Index(c.in, []byte("\r\n\r\n")); i >= 0 {
			head = i + len("\r\n\r\n")
			var length int
			if status, length, err = readHead(c.in[:head]); err != nil {
				return 0, nil, err
			}
			total = head + length
		}
	}
}

func readHead(head []byte) (status, length int, err error) {
	rest, ok := bytes.CutPrefix(head, []byte("HTTP/1.1 "))
	if !ok || len(rest) < 3 {
		return 0, 0, errStatus
	}
	if status, err = strconv.Atoi(string(rest[:3])); err != nil {
		return 0, 0, errStatus
	}
	_, value, ok := bytes.Cut(rest, []byte("\r\nContent-Length: "))
	if !ok {
		return 0, 0, errNoLength
	}
	value, _, _ = bytes.Cut(value, []byte("\r\n"))
	length, err = strconv.Atoi(string(value))
	if err != nil || length < 0 {
		return 0, 0, errNoLength
	}
	if length > maxAnswer {
		return 0, 0, errTooLong
	}
	return status, length, nil
}
