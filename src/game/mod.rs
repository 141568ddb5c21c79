//! One game between two players: clock, referee, adjudication, record.
