// Package mcp is the MCP surface of the public operations: ten tools, one for
// each operation of the contract, over streamable HTTP ([New]) and over
// standard input and output ([Bridge]) (spec 10, The wire).
//
// # One validated path
//
// A tool call becomes a request to the handler of the HTTP surface, in
// process: the arguments as they came are the body, and the body of the
// answer is the tool's text. So both surfaces have one dispatcher, one
// decoder and one encoder, and neither can narrow or widen what the other
// takes. What differs is the audience of sessions that begin here: ai.
//
// # What is trusted
//
// Nothing of a message. Its raw bytes are held to core/wire before the SDK
// sees them, its envelope to JSON-RPC as MCP has it; the SDK is asked for the
// methods of a server that has tools and nothing else, and its error texts,
// which quote what was sent, are replaced. Host and Origin are checked first,
// because a browser can be made to send a request to any address.
//
// # What is not kept
//
// The surface is stateless: each POST is answered in one piece as JSON, no
// session id is given out, no stream is opened, the server asks its clients
// nothing. Any instance can answer any request, and a listener that drains
// has no streams to wait for.
package mcp
