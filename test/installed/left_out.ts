// Tests that an installed payctl without Node can't run, each with the reason. `npm run test:installed` reads these
// lists; program_under_test.test.ts checks the first list.

/** Files that name bin/payctl.js themselves, because they are about the npm package or about Node. */
export const aboutNode: Readonly<Record<string, string>> = {
  'test/architecture/start_up.ts': 'counts the files that Node loads',
  'test/bench/server_process.ts': 'measures the built payctl',
  'test/bench/thousand/run.ts': 'measures the built payctl',
  'test/bin/installation.ts': 'installs payctl beside other versions of Node',
  'test/bin/payctl.test.ts': 'tests the choice of Node',
  'test/commands/emulate_upgraded.test.ts': 'deletes the files of a running payctl; the single file holds them all',
  'test/docs/guide_code.full.test.ts': 'runs suites that import the npm package',
  'test/ecosystem/runners.test.ts': 'runs suites that import the npm package',
  'test/ecosystem/suite_files.test.ts': 'runs suites in a project that has the npm package',
  'test/package/no_sqlite.full.test.ts': 'imports the npm package',
  'test/package/package.full.test.ts': 'lists the files of the npm package',
  'test/package/single_file.full.test.ts': 'writes its own single file, and lists the files inside',
  'test/support/program.ts': 'chooses the program under test',
  'test/testing/vitest_fixtures.full.test.ts': 'runs suites that import the npm package',
}

const preloads = 'loads a script into payctl’s Node, to end or change it at an exact step'

const limits =
  'limits the size of files below 2.3 MB, which also limits the copy of SQLite’s binary that Node makes in memory'

/**
 * Tests of files that otherwise run: the beginning of the full name, with ` > ` between groups. An empty name leaves out
 * the whole file.
 */
export const leftOut: readonly (readonly [file: string, name: string, reason: string])[] = [
  ['test/audit/audit.test.ts', 'a payment whose first line can’t be written is not sent > but once rows', preloads],
  ['test/audit/audit.test.ts', 'a payment whose first line can’t be written is not sent > when the disk has', limits],
  ['test/auth/keyring.test.ts', 'where the package is not installed', 'hides the keyring’s package from payctl’s Node'],
  ['test/auth/renewal.test.ts', 'a full disk', preloads],
  ['test/auth/renewal.test.ts', 'kill -9', preloads],
  ['test/auth/secrecy.test.ts', 'the credentials file > stays as it was where the disk', limits],
  ['test/commands/emulator/backup.test.ts', 'payctl emulator backup > says that it can’t write', limits],
  ['test/commands/lookups_many.test.ts', '100,000 lines need no more memory', 'limits Node’s heap with NODE_OPTIONS'],
  ['test/commands/payments/batch.test.ts', 'nothing is sent > when the disk is too full', limits],
  ['test/commands/payments/batch_cut_off.full.test.ts', 'with ', limits],
  ['test/commands/payments/batch_sheets.test.ts', 'rows that are refused > are written whole or not at all', limits],
  ['test/commands/webhooks/tail.test.ts', 'webhooks tail > killed', preloads],
  ['test/config/settings.test.ts', 'a disk that takes only a part of the file > leaves the settings', limits],
  ['test/e2e/exit_codes.test.ts', 'each exit code > bug', preloads],
  ['test/e2e/full_disk.full.test.ts', 'a full disk > with whatever room', limits],
  ['test/e2e/full_disk.full.test.ts', 'a full disk > leaves configuration', limits],
  ['test/e2e/full_disk.full.test.ts', 'a full disk > is reported by an emulator', limits],
  ['test/e2e/kill.full.test.ts', '', preloads],
  ['test/e2e/power_cut.test.ts', '', preloads],
]
