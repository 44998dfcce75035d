// Package api holds what is generated from openapi.yaml: the public server
// (ogen), the game client (oapi-codegen) and facts of the contract. Run
// `task generate` after a change of the contract; nothing here but this file
// and the generators' settings is written by hand.
package api

//go:generate go tool -modfile=../tools/go.mod ogen --loglevel error --target public --package public --config ogen.public.yml --clean ../openapi.yaml
//go:generate go tool -modfile=../tools/go.mod oapi-codegen -config client.yml ../openapi.yaml
//go:generate go -C ../tools run ./gencontract -in ../openapi.yaml -out ../api/contract
