import { expect, test } from 'vitest'
import { hintOf, withHint } from '../../src/cli/next_step.ts'
import type { NextStep } from '../../src/errors/next_step.ts'

const globals = { profile: 'it’s', baseUrl: 'https://api.example.com' }

test.each<[NextStep, string]>([
  [
    { kind: 'resume', intentId: 'int_1' },
    "payctl payments resume int_1 --profile 'it’s' --base-url https://api.example.com",
  ],
  [{ kind: 'resume', intentId: 'int_1', at: { profile: 'prod' } }, 'payctl payments resume int_1 --profile prod'],
  [
    { kind: 'resume_if_own', intentId: undefined, sentBy: null },
    'The service also does not say who the token belongs to: use a token with the scope read-user. If you are the sender: ' +
      "payctl payments resume --sent-by <email> --profile 'it’s' --base-url https://api.example.com",
  ],
  [
    { kind: 'set_journal_aside', file: '/tmp/a b.db' },
    "Once you know what has been paid, set the file aside with mv '/tmp/a b.db' '/tmp/a b.db.broken' and run this command again. To find out: payctl payments history --profile 'it’s' --base-url https://api.example.com",
  ],
  [
    { kind: 'run', command: ['login', '--profile', '<name>', '--base-url', 'https://other.example'] },
    'payctl login --profile <name> --base-url https://other.example',
  ],
  [{ kind: 'run', command: ['explain', '10'], words: 'Asks nobody' }, 'Asks nobody: payctl explain 10'],
  [
    { kind: 'open_account' },
    "You have no account. Open one: payctl accounts create --profile 'it’s' --base-url https://api.example.com",
  ],
  [{ kind: 'name_sheet', near: 'Clientes' }, "Did you mean --sheet 'Clientes'?"],
  [{ kind: 'name_sheet', near: undefined }, 'Name one of these sheets with --sheet'],
  [
    { kind: 'log_in', reason: 'no_browser', flags: ['--no-browser'] },
    "payctl login --profile 'it’s' --base-url https://api.example.com --no-browser",
  ],
  [{ kind: 'start_emulator' }, 'payctl emulate'],
  [
    { kind: 'correct_rows', areAllNamed: false },
    'Correct the file and run the command again; --json lists every wrong row',
  ],
  [{ kind: 'pay_rows_again', hasBatchId: true }, 'To pay the rows again: --batch-id <another name>'],
])('%j in words', (step, words) => {
  expect(hintOf(step, globals)).toBe(words)
})

test('a hint follows a sentence, and leads on from a clause', () => {
  const step = { kind: 'list_unsettled' } as const
  expect(withHint('One is open.', step, {})).toBe('One is open. payctl payments outbox --unsettled')
  expect(withHint('1 was left out', step, {})).toBe('1 was left out: payctl payments outbox --unsettled')
  expect(withHint('1 was left out', undefined, {})).toBe('1 was left out')
})
