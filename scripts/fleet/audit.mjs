// Triggers that note which machine wrote which row and which machine owns which workspace at that moment, in the
// transaction of the write. A write by a machine that is not the owner is a violation, whatever callers saw of it.
// Machines are distinguished by the application_name of their connections.

const SCHEMA = 'fleet_audit'

export async function installAudit(sql) {
  await sql(`CREATE SCHEMA ${SCHEMA};
    CREATE TABLE ${SCHEMA}.writes (at timestamptz NOT NULL DEFAULT clock_timestamp(), machine text NOT NULL, owner text,
      relation text NOT NULL, operation text NOT NULL, scope bigint, user_name text, value text);
    CREATE TABLE ${SCHEMA}.owners (at timestamptz NOT NULL DEFAULT clock_timestamp(), user_name text NOT NULL, owner text,
      epoch bigint)`)
  const hasOwners = await exists(sql, 'workspaces')
  const owner = hasOwners
    ? `(SELECT m.name FROM scorpiox.workspaces w LEFT JOIN scorpiox.machines m ON m.incarnation = w.owner
        JOIN scorpiox.scopes s ON s.key = w.key WHERE s.id = scope_id)`
    : 'NULL'
  await sql(`CREATE FUNCTION ${SCHEMA}.note() RETURNS trigger LANGUAGE plpgsql AS $body$
    DECLARE data jsonb; scope_id bigint;
    BEGIN
      data := to_jsonb(CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END);
      scope_id := (data->>'scope')::bigint;
      INSERT INTO ${SCHEMA}.writes (machine, owner, relation, operation, scope, user_name, value)
        VALUES (current_setting('application_name'), ${owner}, TG_TABLE_NAME, TG_OP, scope_id,
          (SELECT user_name FROM scorpiox.scopes WHERE id = scope_id), coalesce(data->>'name', data->>'message', data->>'text'));
      RETURN NULL;
    END $body$`)
  for (const table of ['tasks', 'callbacks', 'messages', 'plans', 'questions']) {
    await sql(`CREATE TRIGGER fleet_audit AFTER INSERT OR UPDATE OR DELETE ON scorpiox.${table}
      FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.note()`)
  }
  if (hasOwners) await noteOwners(sql)
}

async function noteOwners(sql) {
  await sql(`CREATE FUNCTION ${SCHEMA}.note_owner() RETURNS trigger LANGUAGE plpgsql AS $body$
    BEGIN
      INSERT INTO ${SCHEMA}.owners (user_name, owner, epoch)
        VALUES (NEW.user_name, (SELECT name FROM scorpiox.machines WHERE incarnation = NEW.owner), NEW.epoch);
      RETURN NULL;
    END $body$;
    CREATE TRIGGER fleet_audit AFTER INSERT OR UPDATE ON scorpiox.workspaces
      FOR EACH ROW EXECUTE FUNCTION ${SCHEMA}.note_owner()`)
}

async function exists(sql, table) {
  const [{ found }] = await sql(`SELECT to_regclass('scorpiox.${table}') IS NOT NULL AS found`)
  return found
}

/** The name of the machine that owns the workspace of each user, by user. */
export async function ownersOf(sql) {
  if (!(await exists(sql, 'workspaces'))) return new Map()
  const rows = await sql(`SELECT w.user_name, m.name FROM scorpiox.workspaces w
    JOIN scorpiox.machines m ON m.incarnation = w.owner`)
  return new Map(rows.map(({ user_name: user, name }) => [user, name]))
}

/** Every change of an owner, oldest first: user, owner, epoch, time in milliseconds. */
export async function ownerChanges(sql) {
  const rows = await sql(
    `SELECT user_name, owner, epoch, extract(epoch FROM at) * 1000 AS at FROM ${SCHEMA}.owners ORDER BY at`,
  )
  return rows.map(({ user_name: user, owner, epoch, at }) => ({ user, owner, epoch: Number(epoch), at: Number(at) }))
}

/** Writes since a time by a machine that did not own the workspace when it wrote. */
export async function foreignWrites(sql, since) {
  return sql(
    `SELECT at, machine, owner, relation, operation, user_name, value FROM ${SCHEMA}.writes
     WHERE owner IS NOT NULL AND machine <> owner AND machine LIKE 'machine-%' AND at >= to_timestamp($1 / 1000.0)
     ORDER BY at LIMIT 20`,
    [since],
  )
}

/** When the message of a callback was written to a client, in milliseconds; undefined if it was not. */
export async function deliveryTime(sql, name) {
  const rows = await sql('SELECT delivered_at FROM scorpiox.messages WHERE text LIKE $1', [`%${name}`])
  const [{ delivered_at: at = null } = {}] = rows
  return at === null ? undefined : Number(at)
}

/** What became of a callback in the database, for a violation. */
export async function callbackTrace(sql, name) {
  const rows = await sql(
    `SELECT to_char(at, 'MI:SS.MS') AS at, machine, relation, operation FROM ${SCHEMA}.writes WHERE value LIKE $1 ORDER BY at`,
    [`%${name}`],
  )
  const messages = await sql('SELECT session, delivered_at, via FROM scorpiox.messages WHERE text LIKE $1', [
    `%${name}`,
  ])
  const steps = rows.map((row) => `${row.at} ${row.operation} ${row.relation} by ${row.machine}`)
  return `${steps.join(', ')}; message ${JSON.stringify(messages)}`
}

/** How often each task of this prefix is stored, by its name. */
export async function storedTasks(sql, prefix) {
  const rows = await sql(`SELECT name, count(*) AS copies FROM scorpiox.tasks WHERE name LIKE $1 GROUP BY name`, [
    `${prefix}%`,
  ])
  return new Map(rows.map(({ name, copies }) => [name, Number(copies)]))
}
