import { sql, type Kysely } from 'kysely';
import { type Migration } from 'kysely/migration';

/**
 * The order of messages that wait until their contact pauses, even if the clocks of several processes differ. On
 * SQLite, which only one process writes, the rows already have this order (`rowid`).
 */
export const gatheringOrder = (dialect: 'sqlite' | 'postgres'): Migration => ({
  async up(db: Kysely<unknown>) {
    if (dialect === 'sqlite') return;
    await sql`alter table gathering add column sequence bigint not null default 0`.execute(db);
    await sql`update gathering set sequence = placed.place
      from (select destination_id, identity, row_number() over (order by event_id) as place
        from gathering where done_at is null) as placed
      where gathering.destination_id = placed.destination_id and gathering.identity = placed.identity`.execute(
      db,
    );
    await sql`create sequence gathering_sequence owned by gathering.sequence`.execute(db);
    await sql`select setval('gathering_sequence', (select coalesce(max(sequence), 0) + 1 from gathering))`.execute(
      db,
    );
    await sql`alter table gathering alter column sequence set default nextval('gathering_sequence')`.execute(
      db,
    );
  },
});
