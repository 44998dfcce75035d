package postgres

import "context"

// Blobs calls each for every stored blob, expired or not, by table ("save",
// then "session") and then bytewise by id, until it returns an error. It
// reads them all at once, for comparing what two runs have stored.
func (s *Store) Blobs(ctx context.Context, each func(table, id, blob string) error) error {
	const statement = "DumpBlobs"
	conn, err := s.acquire(ctx, statement)
	if err != nil {
		return err
	}
	defer s.release(conn)
	rows, err := queries.DumpBlobs(ctx, conn, tenant)
	if err != nil {
		return storeError(ctx, statement, err)
	}
	for _, r := range rows {
		if err := each(r.Kind, r.ID, r.Blob); err != nil {
			return err
		}
	}
	return nil
}
