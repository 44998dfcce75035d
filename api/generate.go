// Package api holds what is generated from openapi.yaml: the public server
// (ogen), the game client (oapi-codegen) and facts of the contract. Run
// `task generate` after a change of the contract; nothing here but this file
// and the generators' settings is written by hand. The TypeScript client comes
// from the same file; without npm it is left as it is, and CI finds it stale.
package api

//go:generate go tool -modfile=../tools/go.mod ogen --loglevel error --target public --package public --config ogen.public.yml --clean ../openapi.yaml
//go:generate go tool -modfile=../tools/go.mod oapi-codegen -config client.yml ../openapi.yaml
//go:generate go -C ../tools run ./gencontract -in ../openapi.yaml -out ../api/contract
//go:generate sh -c "if ! command -v npm >/dev/null; then echo 'no npm: clients/typescript is left as it is' >&2; exit 0; fi; cd ../clients/typescript; [ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund; npm run --silent generate"
