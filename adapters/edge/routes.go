package edge

import (
	"net/http"
	"strings"
)

// Routes with a rule of their own.
const (
	mcpPath      = "/mcp"
	realtimePath = "/v1/realtime"
)

// routes are the methods of what is passed on, by path.
type routes struct {
	paths map[string]string
	// folders are paths, slash at the end, of which any file is a route.
	folders map[string]string
}

// newRoutes reads routes as the contract writes them.
func newRoutes(list []string) routes {
	t := routes{paths: map[string]string{}, folders: map[string]string{}}
	for _, route := range list {
		method, path, _ := strings.Cut(route, " ")
		if folder, ok := strings.CutSuffix(path, "{file}"); ok {
			t.folders[folder] = method
		} else {
			t.paths[path] = method
		}
	}
	return t
}

func (t routes) has(method, path string) bool {
	allowed, ok := t.paths[path]
	if slash := strings.LastIndexByte(path, '/'); !ok && slash >= 0 && slash+1 < len(path) {
		allowed = t.folders[path[:slash+1]]
	}
	switch allowed {
	case "":
		return false
	case "*":
		return method != http.MethodConnect
	case http.MethodGet:
		return method == http.MethodGet || method == http.MethodHead
	}
	return method == allowed
}
