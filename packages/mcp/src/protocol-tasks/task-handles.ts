// The task handles of one server: calls that continue after their response (tasks of the protocol). A handle is stored
// durably before it is returned, can be queried, answered and cancelled only by the user that created it, and keeps its
// outcome until it expires or newer ones take its place. Used by the methods `tasks/…` and by calls that become tasks.
// Reads and writes the store only.

import { randomBytes } from 'node:crypto'

import type { TaskHandleOptions } from '../definitions/call-context.js'
import type { ChangeEvents } from '../definitions/change-events.js'
import { Failure, INTERNAL_ERROR, INVALID_PARAMS, ProtocolError } from '../errors.js'
import type { JsonObject } from '../json/json.js'
import { isPidRunning } from '../os.js'
import type { TaskHandleRecord, TaskHandleStore } from './task-handle-store.js'
import { formatTaskRecord, RunningTaskHandle, type TaskHandle, type TaskHandleOwner } from './task-handle.js'

const DAY_MS = 24 * 60 * 60 * 1000
const MAX_TTL_MS = 30 * DAY_MS
const DEFAULT_POLL_MS = 1000
const MAX_RUNNING_PER_USER = 1000

export interface TaskHandles {
  /** Creates a task handle. Resolves when other processes can find it. */
  create(owner: TaskHandleOwner, options?: TaskHandleOptions): Promise<TaskHandle>
  /** Returns the members of the protocol task. */
  describe(user: string, id: string): Promise<string>
  answer(user: string, id: string, responses: JsonObject): Promise<void>
  cancel(user: string, id: string): Promise<void>
  /** Whether a task of this user runs here. */
  isWorkingFor(user: string): boolean
  /** Aborts all running tasks; they are recorded as failed. */
  close(): Promise<void>
}

export function createTaskHandles(store: TaskHandleStore, changeEvents: ChangeEvents): TaskHandles {
  const running = new Map<string, RunningTaskHandle>()
  let isClosed = false

  async function find(user: string, id: string): Promise<RunningTaskHandle | TaskHandleRecord> {
    const handle = running.get(id)
    if (handle?.record.user === user) return handle
    const record = await store.load(user, id)
    if (record) {
      const loss = record.status === 'working' ? await findLoss(record) : undefined
      return loss === undefined ? record : markLost(record, loss)
    }
    throw new ProtocolError(
      INVALID_PARAMS,
      'Task not found: it never existed, has expired, made room for newer ones or is not yours',
    )
  }

  async function findLoss(record: TaskHandleRecord): Promise<string | undefined> {
    if (store.findLoss) return store.findLoss(record)
    return isOwnerRunning(record) ? undefined : 'The server ended while it worked on this.'
  }

  function checkLimit(user: string): void {
    if (isClosed) throw new Failure('The server is stopping.')
    let count = 0
    for (const { record } of running.values()) if (record.user === user) count++
    if (count >= MAX_RUNNING_PER_USER) {
      throw new Failure(
        `There are ${MAX_RUNNING_PER_USER} unfinished tasks already. Wait for some of them, or cancel them.`,
      )
    }
  }

  return {
    async create(owner, options) {
      checkLimit(owner.user)
      const record = createRecord(owner.user, options)
      const { id } = record
      const handle = new RunningTaskHandle(record, { owner, store, changeEvents, onEnd: () => running.delete(id) })
      // Counts towards the limit from now on; its id is not known to anyone before it is durable.
      running.set(id, handle)
      try {
        await store.save(record)
      } catch (error) {
        running.delete(id)
        throw error
      }
      return handle
    },
    async describe(user, id) {
      const found = await find(user, id)
      return found instanceof RunningTaskHandle ? found.members : formatTaskRecord(found)
    },
    async answer(user, id, responses) {
      const found = await find(user, id)
      if (found instanceof RunningTaskHandle) found.handleAnswers(responses)
      else if (found.status === 'working') throw createOtherProcessError()
    },
    async cancel(user, id) {
      const found = await find(user, id)
      if (found instanceof RunningTaskHandle) await found.cancel()
      else if (found.status === 'working') throw createOtherProcessError()
    },
    isWorkingFor: (user) => [...running.values()].some(({ record }) => record.user === user),
    async close() {
      isClosed = true
      await Promise.allSettled([...running.values()].map((handle) => handle.fail('The server was stopped.')))
    },
  }
}

function createRecord(
  user: string,
  { ttlMs = DAY_MS, pollMs = DEFAULT_POLL_MS, message }: TaskHandleOptions = {},
): TaskHandleRecord {
  const id = randomBytes(18).toString('base64url')
  const now = Date.now()
  const times = { createdAt: now, updatedAt: now, ttlMs: Math.min(Math.ceil(ttlMs), MAX_TTL_MS), pollMs }
  return { id, user, pid: process.pid, ...times, status: 'working', message }
}

function isOwnerRunning({ pid }: TaskHandleRecord): boolean {
  // Tasks of this process are found before; a record with its pid is of an earlier process with the same pid.
  return pid !== process.pid && isPidRunning(pid)
}

/** Another process runs this task, so this one cannot forward the request: report an error. */
function createOtherProcessError(): ProtocolError {
  return new ProtocolError(INTERNAL_ERROR, 'Another process of this server works on this task; ask there')
}

function markLost(record: TaskHandleRecord, message: string): TaskHandleRecord {
  return { ...record, status: 'failed', message, error: { code: INTERNAL_ERROR, message } }
}
