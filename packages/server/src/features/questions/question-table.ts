// SQL access to the questions of one scope (one user in one project) that the client could not answer at once. A question
// is answered exactly once and then stays unchanged. Questions and replies are stored as JSON, because they are only read
// whole. Created by state.ts for each transaction.

import type { AnswerChannel, FormQuestion, QuestionReply } from '../../calls/question-form.js'
import type { MessageTable } from '../../sessions/message-table.js'
import {
  nullableNumberColumn,
  nullableTextColumn,
  numberColumn,
  requireRow,
  type Sql,
  type SqlRow,
  textColumn,
} from '../../storage/database.js'
import { allocateIds } from '../../storage/scope-table.js'
import { toStorableText } from '../../text/normalize-text.js'

export interface QuestionRow {
  readonly id: number
  readonly session: string
  readonly askedAt: number
  /** Whether the call that asked is waiting. Stays true if its server was killed. */
  readonly waiting: boolean
  readonly questions: readonly FormQuestion[]
  /** One for each question; null while unanswered. */
  readonly replies: readonly QuestionReply[] | null
  readonly answeredAt: number | null
  readonly surface: AnswerChannel | null
  /** When the replies were written to a client. */
  readonly deliveredAt: number | null
}

/** Valid during the transaction. */
export interface QuestionTables {
  readonly questions: QuestionTable
  readonly messages: MessageTable
}

export interface QuestionTable {
  insert(question: Pick<QuestionRow, 'session' | 'askedAt' | 'waiting' | 'questions'>): Promise<QuestionRow>
  find(id: number): Promise<QuestionRow | undefined>
  /** Oldest first. */
  listOpen(): Promise<readonly QuestionRow[]>
  /** The newest 100 of a session, answered or not; newest first. */
  listOfSession(session: string): Promise<readonly QuestionRow[]>
  /** Answered but not delivered. */
  listUndelivered(): Promise<readonly QuestionRow[]>
  /** Returns false, and changes nothing, if it was already answered. */
  answer(
    id: number,
    answer: { replies: readonly QuestionReply[]; surface: AnswerChannel; answeredAt: number },
  ): Promise<boolean>
  stopWaiting(id: number): Promise<void>
  markDelivered(id: number, at: number): Promise<void>
  remove(id: number): Promise<void>
  /** Moves the unanswered questions of one session to another. */
  moveToSession(from: string, to: string): Promise<void>
  /** Deletes questions asked before this time or before the newest 500, except answers that are not delivered yet. */
  deleteAskedBefore(before: number): Promise<void>
}

/** Of one user in one project. */
const MAX_FORMS = 500
const MAX_OF_SESSION = 100
const COLUMNS = 'id, session, asked_at, waiting, answered_at, surface, delivered_at, questions, replies'

const ANSWER_CHANNELS: readonly AnswerChannel[] = ['client', 'page', 'inbox', 'call', 'view']

export function createQuestionTable(sql: Sql, scope: number): QuestionTable {
  const select = async (where: string): Promise<readonly QuestionRow[]> =>
    (await sql.all(`SELECT ${COLUMNS} FROM questions WHERE scope = ? AND ${where} ORDER BY id`, scope)).map(
      questionFromRow,
    )
  return {
    async insert({ session, askedAt, waiting, questions }) {
      const rows = await sql.run(
        `INSERT INTO questions (scope, id, session, asked_at, waiting, questions) VALUES (?, ?, ?, ?, ?, ?)
         RETURNING ${COLUMNS}`,
        scope,
        await allocateIds(sql, scope, 'next_question', 1),
        toStorableText(session),
        askedAt,
        Number(waiting),
        toStorableText(JSON.stringify(questions)),
      )
      return questionFromRow(requireRow(rows))
    },
    async find(id) {
      const [row] = await sql.all(`SELECT ${COLUMNS} FROM questions WHERE scope = ? AND id = ?`, scope, id)
      return row && questionFromRow(row)
    },
    listOpen: () => select('replies IS NULL'),
    async listOfSession(session) {
      const rows = await sql.all(
        `SELECT ${COLUMNS} FROM questions WHERE scope = ? AND session = ? ORDER BY id DESC LIMIT ?`,
        scope,
        toStorableText(session),
        MAX_OF_SESSION,
      )
      return rows.map(questionFromRow)
    },
    listUndelivered: () => select('replies IS NOT NULL AND delivered_at IS NULL'),
    async answer(id, { replies, surface, answeredAt }) {
      const rows = await sql.run(
        `UPDATE questions SET replies = ?, surface = ?, answered_at = ?
         WHERE scope = ? AND id = ? AND replies IS NULL RETURNING id`,
        toStorableText(JSON.stringify(replies)),
        surface,
        answeredAt,
        scope,
        id,
      )
      return rows.length > 0
    },
    async stopWaiting(id) {
      await sql.run('UPDATE questions SET waiting = 0 WHERE scope = ? AND id = ?', scope, id)
    },
    async markDelivered(id, at) {
      await sql.run(
        'UPDATE questions SET delivered_at = ? WHERE scope = ? AND id = ? AND delivered_at IS NULL',
        at,
        scope,
        id,
      )
    },
    async remove(id) {
      await sql.run('DELETE FROM questions WHERE scope = ? AND id = ?', scope, id)
    },
    async moveToSession(from, to) {
      await sql.run(
        'UPDATE questions SET session = ?, waiting = 0 WHERE scope = ? AND session = ? AND replies IS NULL',
        toStorableText(to),
        scope,
        toStorableText(from),
      )
    },
    async deleteAskedBefore(before) {
      await sql.run(
        `DELETE FROM questions WHERE scope = ? AND (replies IS NULL OR delivered_at IS NOT NULL) AND
           (asked_at < ? OR id <= (SELECT next_question FROM scopes WHERE id = ?) - ?)`,
        scope,
        before,
        scope,
        MAX_FORMS,
      )
    },
  }
}

function questionFromRow(row: SqlRow): QuestionRow {
  const replies = nullableTextColumn(row, 'replies')
  return {
    id: numberColumn(row, 'id'),
    session: textColumn(row, 'session'),
    askedAt: numberColumn(row, 'asked_at'),
    waiting: numberColumn(row, 'waiting') !== 0,
    questions: parseQuestions(textColumn(row, 'questions')),
    replies: replies === null ? null : parseReplies(replies),
    answeredAt: nullableNumberColumn(row, 'answered_at'),
    surface: ANSWER_CHANNELS.find((surface) => surface === row.surface) ?? null,
    deliveredAt: nullableNumberColumn(row, 'delivered_at'),
  }
}

// The JSON was written by `insert` and `answer`, so it is not validated.
function parseQuestions(text: string): readonly FormQuestion[] {
  return JSON.parse(text)
}

function parseReplies(text: string): readonly QuestionReply[] {
  return JSON.parse(text)
}
