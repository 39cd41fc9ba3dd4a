import { isSea } from 'node:sea'
import type { AsyncEntry } from '@napi-rs/keyring'
import { CliError, errorMessage } from '../errors/cli_error.ts'
import { foreign, say, type Text } from '../words/text.ts'

// The system's keyring: Secret Service on Linux, Keychain on macOS, Credential Manager on Windows.

/** Service name of payctl's items in the keyring. */
const service = 'payctl'

/**
 * Logins of one configuration folder: a JSON text for each profile. Every method throws CliError if the keyring can't
 * be used.
 */
export interface Keyring {
  /** Undefined if the keyring has no item for the profile. */
  read(profile: string): Promise<string | undefined>
  /** Replaces the item, then reads it again to verify it. */
  write(profile: string, text: string): Promise<void>
  remove(profile: string): Promise<unknown>
  /** Writes and removes an item without a secret: proves that the keyring is unlocked, or asks the user to unlock it. */
  test(): Promise<void>
}

/** Connects to the keyring. `id`: id of the configuration folder, so that two folders do not share an item. */
export async function openKeyring(id: string): Promise<Keyring> {
  const { AsyncEntry: Entry } = await loadPackage()
  const item = <Result>(profile: string, work: (entry: AsyncEntry) => Promise<Result>) =>
    usable(() =>
      // Without `store`, the package falls back to the kernel's keyring, which a restart of the machine empties.
      work(new Entry(service, `${profile} ${id}`, { linux: { store: 'secret-service' } })),
    )
  return {
    read: (profile) => item(profile, secretIn),
    write: (profile, text) => item(profile, (entry) => save(entry, text)),
    remove: (profile) => item(profile, (entry) => entry.deleteCredential()),
    test: () =>
      item('test of', async (entry) => {
        await save(entry, 'test')
        await entry.deleteCredential()
      }),
  }
}

async function save(entry: AsyncEntry, text: string): Promise<void> {
  await entry.setSecret(Buffer.from(text))
  if ((await secretIn(entry)) !== text) throw new Error('the keyring did not return what was saved')
}

async function secretIn(entry: AsyncEntry): Promise<string | undefined> {
  const bytes = await entry.getSecret()
  return bytes ? Buffer.from(bytes).toString() : undefined
}

async function loadPackage() {
  try {
    return await import('@napi-rs/keyring')
  } catch (error) {
    // The package's own message advises reinstalling with npm, which does not help users of the single file.
    const [why, next] = isSea()
      ? [
          say`the keyring module inside payctl's executable can't be loaded on this system`,
          'Give the token in PAYCTL_TOKEN',
        ]
      : [
          missingPart(error),
          'Install payctl with npm and its optional packages (--include=optional), or give the token in PAYCTL_TOKEN',
        ]
    throw new CliError(
      'unauthenticated',
      say`Logins must be saved in the system’s keyring, but this payctl can't use a keyring: ${why}.`,
      next,
    )
  }
}

const missingPart = (error: unknown): Text =>
  (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND'
    ? say`the package @napi-rs/keyring is not installed`
    : say`the package @napi-rs/keyring has no binary for this system (${errorMessage(error).split('\n')[0] ?? ''})`

async function usable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw unusable(errorMessage(error).replaceAll(/\s+/g, ' '))
  }
}

const unusable = (why: string): CliError =>
  new CliError(
    'unauthenticated',
    say`The system’s keyring can't be used: ${foreign(why.replace(/\.$/, ''))}.`,
    'Start and unlock the keyring, or give the token in PAYCTL_TOKEN',
  )
