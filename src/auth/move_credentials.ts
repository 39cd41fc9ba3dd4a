import { CliError } from '../errors/cli_error.ts'
import { say } from '../words/text.ts'
import { changeLogins, listed, parseEntry, readSavedLogins } from './credentials_file.ts'
import { type Keyring, openKeyring } from './keyring.ts'

// Moves all logins between the credentials file and the keyring. The file names the place, so one atomic write of the
// file switches the place. Before the write every login is in the old place; after it every login is in the new place.

/** Returns the number of logins in the new place. Repeating a move completes an interrupted move. */
export async function moveCredentials(configDir: string, store: 'file' | 'keyring'): Promise<number> {
  await (store === 'keyring' ? moveToKeyring(configDir) : moveToFile(configDir))
  const { profiles, keyring } = readSavedLogins(configDir)
  return store === 'keyring' ? (keyring?.profiles.length ?? 0) : Object.keys(profiles).length
}

async function moveToKeyring(configDir: string): Promise<void> {
  const { store, keyring } = readSavedLogins(configDir)
  if (store === 'keyring') return
  await (await openKeyring(keyring?.id ?? 'payctl')).test() // before anything changes
  try {
    // The first pass lists the items, and the second writes them. If somebody logs in between the passes, another pass
    // follows.
    for (let moved = false; !moved; ) {
      await changeLogins(configDir, async (saved) => {
        const { keyring, ...withItems } = listed(saved, Object.keys(saved.profiles))
        moved = saved.store === 'keyring' || keyring === saved.keyring
        if (saved.store === 'keyring') return saved
        if (!moved) return { ...withItems, keyring }
        const items = await openKeyring(keyring.id)
        for (const [profile, entry] of Object.entries(saved.profiles)) await items.write(profile, JSON.stringify(entry))
        return { ...withItems, store: 'keyring', keyring, profiles: {} }
      })
    }
  } catch (error) {
    // The logins are still in the file. An item that can't be removed stays listed, and the next move replaces it.
    await removeItems(configDir).catch(() => undefined)
    throw error
  }
}

async function moveToFile(configDir: string): Promise<void> {
  await changeLogins(configDir, async (saved) => {
    if (saved.store !== 'keyring' || !saved.keyring) return saved
    const keyring = await openKeyring(saved.keyring.id)
    const entries: (readonly [string, unknown])[] = []
    for (const profile of saved.keyring.profiles) {
      const entry = await entryOf(keyring, profile)
      if (entry !== undefined) entries.push([profile, entry])
    }
    return { ...saved, store: 'file', profiles: Object.fromEntries(entries) }
  })
  await removeItems(configDir)
}

async function entryOf(keyring: Keyring, profile: string): Promise<unknown> {
  const text = await keyring.read(profile)
  const entry = text === undefined ? undefined : parseEntry(text)
  if (entry !== null) return entry
  throw new CliError('usage', say`The entry of profile '${profile}' in the keyring is damaged. Nothing was moved.`, {
    kind: 'log_in',
    profile,
  })
}

/** Removes the items of the keyring. Reads the file again first, to make sure that it has the logins. */
async function removeItems(configDir: string): Promise<void> {
  await changeLogins(configDir, async (saved) => {
    const { keyring: items, ...rest } = saved
    if (saved.store === 'keyring' || !items) return saved
    const keyring = await openKeyring(items.id)
    for (const profile of items.profiles) await keyring.remove(profile)
    return rest
  })
}
