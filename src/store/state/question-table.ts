import { storableText } from '../../lib/storable-text.js'
import type { Question, QuestionRow, QuestionRows, Reply, Surface } from './question-rows.js'
import { takeNumbers } from './scope-table.js'
import { numberIn, numberOrNullIn, onlyRow, textIn, textOrNullIn, type Sql, type SqlRow } from './sql.js'

const COLUMNS = 'id, session, asked_at, waiting, answered_at, surface, delivered_at, questions, replies'

const ANSWER_CHANNELS: readonly Surface[] = ['client', 'page', 'inbox', 'call']

export function createQuestionTable(sql: Sql, scope: number): QuestionRows {
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
        await takeNumbers(sql, scope, 'next_question', 1),
        storableText(session),
        askedAt,
        Number(waiting),
        storableText(JSON.stringify(questions)),
      )
      return questionFromRow(onlyRow(rows))
    },
    async find(id) {
      const [row] = await sql.all(`SELECT ${COLUMNS} FROM questions WHERE scope = ? AND id = ?`, scope, id)
      return row && questionFromRow(row)
    },
    open: () => select('replies IS NULL'),
    undelivered: () => select('replies IS NOT NULL AND delivered_at IS NULL'),
    async answer(id, { replies, surface, answeredAt }) {
      const rows = await sql.run(
        `UPDATE questions SET replies = ?, surface = ?, answered_at = ?
         WHERE scope = ? AND id = ? AND replies IS NULL RETURNING id`,
        storableText(JSON.stringify(replies)),
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
    async deliver(id, at) {
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
    async readdress(from, to) {
      await sql.run(
        'UPDATE questions SET session = ?, waiting = 0 WHERE scope = ? AND session = ? AND replies IS NULL',
        storableText(to),
        scope,
        storableText(from),
      )
    },
    async forget(before) {
      await sql.run(
        'DELETE FROM questions WHERE scope = ? AND asked_at < ? AND (replies IS NULL OR delivered_at IS NOT NULL)',
        scope,
        before,
      )
    },
  }
}

function questionFromRow(row: SqlRow): QuestionRow {
  const replies = textOrNullIn(row, 'replies')
  return {
    id: numberIn(row, 'id'),
    session: textIn(row, 'session'),
    askedAt: numberIn(row, 'asked_at'),
    waiting: numberIn(row, 'waiting') !== 0,
    questions: parseQuestions(textIn(row, 'questions')),
    replies: replies === null ? null : parseReplies(replies),
    answeredAt: numberOrNullIn(row, 'answered_at'),
    surface: ANSWER_CHANNELS.find((surface) => surface === row.surface) ?? null,
    deliveredAt: numberOrNullIn(row, 'delivered_at'),
  }
}

// The JSON was written by `insert` and `answer`, so it is not validated.
function parseQuestions(text: string): readonly Question[] {
  return JSON.parse(text)
}

function parseReplies(text: string): readonly Reply[] {
  return JSON.parse(text)
}
