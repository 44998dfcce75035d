package devstack

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// choosePort returns the port that a folder's server had last if it is free,
// else another. The folder may be empty.
func choosePort(dir string, log *slog.Logger) (int, error) {
	b, _ := os.ReadFile(filepath.Join(dir, "port"))
	if port, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && dir != "" {
		if isFree(port) {
			return port, nil
		}
		log.Warn("the port of the last start is taken by another process: choosing another", "port", port)
	}
	return freePort()
}

func savePort(dir string, port int) error {
	return os.WriteFile(filepath.Join(dir, "port"), []byte(strconv.Itoa(port)+"\n"), 0o600)
}

// freePort finds a loopback port below the range from which systems take
// ports for outgoing connections: a client that tries to reach a server which
// is down would otherwise, once in a while, be given that very port, connect
// to itself, and keep the server from coming back.
func freePort() (int, error) {
	for range 100 {
		if port := 15000 + rand.IntN(17000); isFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("no free loopback port between 15000 and 32000")
}

func isFree(port int) bool {
	l, err := net.Listen("tcp", loopback(port))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
