// Paths and validated reading of a job's files. Each job has a folder named by its id in the folder of a user and
// project. Damaged files, and files in a folder that others can write to, count as missing.

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { isJobNumber } from './job-numbers.js'
import { parseJobRecord, type JobRecord } from './job-record.js'
import { readSmallFile } from './private-file.js'
import { isPrivateFolder } from './private-folder.js'

const MAX_RECORD_BYTES = 4 * 1024 * 1024
const MAX_STATUS_BYTES = 16

export function jobFolder(folder: string, id: number): string {
  return join(folder, String(id))
}

export function recordFile(folder: string, id: number): string {
  return join(folder, String(id), 'record.json')
}

export function statusFile(folder: string, id: number): string {
  return join(folder, String(id), 'status')
}

export function outputFolder(folder: string, id: number): string {
  return join(folder, String(id), 'output')
}

/** Sorted; includes jobs without a record. */
export async function jobNumbersIn(folder: string): Promise<readonly number[]> {
  const names = isPrivateFolder(folder) ? await readdir(folder).catch(() => []) : []
  return names
    .filter(isJobNumber)
    .map(Number)
    .sort((a, b) => a - b)
}

export async function readRecord(folder: string, id: number): Promise<JobRecord | undefined> {
  if (!isJobNumber(String(id)) || !isPrivateFolder(folder)) return undefined
  const file = await readSmallFile(recordFile(folder, id), MAX_RECORD_BYTES)
  const record = file && parseJobRecord(file.text)
  return record?.id === id ? record : undefined
}

export async function readStatus(folder: string, id: number): Promise<number | undefined> {
  if (!isJobNumber(String(id)) || !isPrivateFolder(folder)) return undefined
  const file = await readSmallFile(statusFile(folder, id), MAX_STATUS_BYTES)
  return file && /^\d{1,3}\n$/.test(file.text) ? Number(file.text) : undefined
}
