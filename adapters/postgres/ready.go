package postgres

import "context"

// Ready asks the server afresh whether it takes statements at the right
// isolation level and writes. Its error is a *fault.StoreError whose Detail
// is what readiness shows; before the store is composed it is that of the
// last attempt. It ends with the context, whatever the server does.
func (s *Store) Ready(ctx context.Context) error {
	if s.pool.Load() == nil {
		if failure := s.attempt.Load(); failure != nil {
			return failure
		}
	}
	const statement = "ProbeStore"
	conn, err := s.acquire(ctx, statement)
	if err != nil {
		return err
	}
	defer s.release(conn)
	probe, err := queries.ProbeStore(ctx, conn)
	if err != nil {
		return storeError(ctx, statement, err)
	}
	return checkIsolation(probe.Isolation)
}
