// Command gencontract writes what Go code needs to know of the contract
// itself: a copy to embed, the version of the engine port that it was written
// for, its routes, and the JSON schemas of its public operations.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

type contract struct {
	Info struct {
		EngineVersion string `yaml:"x-engine-version"`
	} `yaml:"info"`
	Paths      map[string]map[string]operation `yaml:"paths"`
	Components struct {
		Responses map[string]response `yaml:"responses"`
		Schemas   map[string]any      `yaml:"schemas"`
	} `yaml:"components"`
}

type operation struct {
	Tags        []string            `yaml:"tags"`
	Tool        string              `yaml:"x-mcp-tool"`
	Summary     string              `yaml:"summary"`
	Description string              `yaml:"description"`
	RequestBody response            `yaml:"requestBody"`
	Responses   map[string]response `yaml:"responses"`
}

type response struct {
	Ref     string `yaml:"$ref"`
	Content map[string]struct {
		Schema any `yaml:"schema"`
	} `yaml:"content"`
}

// tool is a public operation as an MCP tool.
type tool struct {
	Name        string `json:"name"`
	Path        string `json:"path"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Request     any    `json:"request"`
	Response    any    `json:"response"`
}

// beside are the routes of the public listener that the contract does not
// describe: MCP, realtime streams, and the contract itself with its page.
var beside = []string{
	"* /mcp",
	"GET /docs",
	"GET /docs/{file}",
	"GET /openapi.yaml",
	"GET /v1/realtime",
}

func main() {
	in := flag.String("in", "", "the contract")
	out := flag.String("out", "", "the folder of the generated package")
	flag.Parse()
	if err := run(*in, *out); err != nil {
		log.Fatal(err)
	}
}

func run(in, out string) error {
	raw, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	var c contract
	if err := yaml.Unmarshal(raw, &c); err != nil {
		return err
	}
	if c.Info.EngineVersion == "" {
		return fmt.Errorf("%s: info.x-engine-version is missing", in)
	}
	routes, tools, err := c.public()
	if err != nil {
		return err
	}
	src, err := source(c.Info.EngineVersion, routes)
	if err != nil {
		return err
	}
	schemas, err := json.MarshalIndent(tools, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"openapi.yaml":    raw,
		"contract.gen.go": src,
		"tools.gen.json":  append(schemas, '\n'),
	} {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// public are the routes and the tools of the public operations, in order.
func (c *contract) public() (routes []string, tools []tool, err error) {
	for path, methods := range c.Paths {
		for method, op := range methods {
			if !slices.Contains(op.Tags, "public") {
				continue
			}
			routes = append(routes, strings.ToUpper(method)+" "+path)
			if op.Tool == "" {
				return nil, nil, fmt.Errorf("%s: x-mcp-tool is missing", path)
			}
			ok := op.Responses["200"]
			if name, isRef := strings.CutPrefix(ok.Ref, "#/components/responses/"); isRef {
				ok = c.Components.Responses[name]
			}
			tools = append(tools, tool{
				Name:        op.Tool,
				Path:        path,
				Summary:     op.Summary,
				Description: strings.TrimSpace(op.Description),
				Request:     c.schema(op.RequestBody.Content["application/json"].Schema),
				Response:    c.schema(ok.Content["application/json"].Schema),
			})
		}
	}
	slices.Sort(routes)
	slices.SortFunc(tools, func(a, b tool) int { return strings.Compare(a.Path, b.Path) })
	return routes, tools, nil
}

// schema is a schema of the contract as a JSON schema of its own: what it
// refers to comes along as $defs.
func (c *contract) schema(s any) any {
	defs := map[string]any{}
	top := c.rewrite(s, defs)
	if m, ok := top.(map[string]any); ok {
		if name, isRef := m["$ref"].(string); isRef {
			name = strings.TrimPrefix(name, "#/$defs/")
			top = defs[name]
			delete(defs, name)
		}
		if len(defs) > 0 {
			top.(map[string]any)["$defs"] = defs
		}
	}
	return top
}

func (c *contract) rewrite(s any, defs map[string]any) any {
	switch s := s.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range s {
			switch {
			case strings.HasPrefix(k, "x-"):
			case k == "$ref":
				name := strings.TrimPrefix(v.(string), "#/components/schemas/")
				if _, known := defs[name]; !known {
					defs[name] = nil
					defs[name] = c.rewrite(c.Components.Schemas[name], defs)
				}
				out[k] = "#/$defs/" + name
			default:
				out[k] = c.rewrite(v, defs)
			}
		}
		return out
	case []any:
		out := make([]any, len(s))
		for i, v := range s {
			out[i] = c.rewrite(v, defs)
		}
		return out
	}
	return s
}

// list writes the elements of a list of strings and its end.
func list(b *bytes.Buffer, elements []string) {
	for _, e := range elements {
		fmt.Fprintf(b, "\t%q,\n", e)
	}
	b.WriteString("}\n")
}

func source(engineVersion string, routes []string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by tools/gencontract from openapi.yaml. DO NOT EDIT.\n\n")
	b.WriteString("// Package contract holds facts of openapi.yaml.\npackage contract\n\nimport _ \"embed\"\n\n")
	b.WriteString("// YAML is the contract, byte for byte.\n//\n//go:embed openapi.yaml\nvar YAML []byte\n\n")
	b.WriteString("// Tools are the public operations as MCP tools, a JSON array: name, path,\n// summary, description, and the JSON schemas of request and response.\n//\n//go:embed tools.gen.json\nvar Tools []byte\n\n")
	fmt.Fprintf(&b, "// EngineVersion is the version of the engine port that the contract was\n// written for (info.x-engine-version).\nconst EngineVersion = %q\n\n", engineVersion)
	b.WriteString("// Public are the routes of the public operations, as \"METHOD path\".\nvar Public = []string{\n")
	list(&b, routes)
	edge := slices.Concat(beside, routes)
	slices.Sort(edge)
	b.WriteString("\n// Edge are the routes that the edge passes on: the public operations and what\n// else is on the public listener. * is any method but CONNECT, GET includes\n// HEAD, and {file} is the rest of a path, without another slash.\nvar Edge = []string{\n")
	list(&b, edge)
	return format.Source(b.Bytes())
}
