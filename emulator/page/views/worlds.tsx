import { useSignal } from '@preact/signals'
import type { ControlOutputOf } from '../../../src/contract/index.ts'
import { act, useAnswer } from '../frame/answer.ts'
import { control, download, upload } from '../frame/api.ts'
import { text } from '../frame/language.ts'
import { emulatorBase, worldName } from '../frame/session.ts'
import { Mark, Moment } from '../parts/facts.tsx'
import { Command, Cut, Heading, Waiting } from '../parts/states.tsx'

type Entry = ControlOutputOf<'control.worlds.list'>['data'][number]
type Snapshot = ControlOutputOf<'control.snapshots.list'>[number]

/** View of the emulator's worlds and snapshots: makes, saves, restores, resets, exports, imports and ends worlds. */
export function Worlds() {
  const worlds = useAnswer(
    'control.worlds.list',
    { query: { per_page: 100 } },
    { when: ({ type }) => type === 'world_made' || type === 'world_ended' },
  )
  const snapshots = useAnswer('control.snapshots.list')
  const reload = () => {
    worlds.reload()
    snapshots.reload()
  }
  return (
    <div class="view worlds">
      <Heading>{text('nav.worlds')}</Heading>
      <ForkForm reload={reload} />
      {worlds.data ? (
        <>
          <WorldTable entries={worlds.data.data} reload={reload} />
          <Cut page={worlds.data} />
        </>
      ) : (
        <Waiting error={worlds.error} retry={worlds.reload} />
      )}
      <section>
        <h2>{text('worlds.snapshots')}</h2>
        <SnapshotForm reload={reload} />
        {snapshots.data ? (
          <Snapshots all={snapshots.data} reload={reload} />
        ) : (
          <Waiting error={snapshots.error} retry={snapshots.reload} />
        )}
      </section>
      <section>
        <h2>{text('worlds.files')}</h2>
        <Files reload={reload} />
      </section>
      <Command>payctl emulator worlds list</Command>
    </div>
  )
}

/** URL of a world's page. */
const pageOf = (name: string): string =>
  name === 'default' ? `${emulatorBase}/_emulator/` : `${emulatorBase}/w/${encodeURIComponent(name)}/_emulator/`

interface Changing {
  readonly reload: () => void
}

async function run(work: () => Promise<unknown>, done: string, reload: () => void): Promise<void> {
  if (await act(work, done)) reload()
}

/** Makes a world: a fork of the world that the page shows, or a world from a seed. */
function ForkForm({ reload }: Changing) {
  const name = useSignal('')
  const origin = useSignal<'fork' | 'demo' | 'empty'>('fork')
  const make = () =>
    control('control.worlds.create', {
      body: {
        ...(name.value !== '' && { name: name.value }),
        from: origin.value === 'fork' ? { world: worldName } : { seed: origin.value },
      },
    })
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        void run(make, text('worlds.made'), reload)
      }}
    >
      <label class="field">
        <span>{text('worlds.from')}</span>
        <select
          value={origin}
          onChange={(event) => {
            origin.value = event.currentTarget.value as 'fork' | 'demo' | 'empty'
          }}
        >
          <option value="fork">{text('worlds.fork', { world: worldName })}</option>
          <option value="demo">{text('worlds.demo')}</option>
          <option value="empty">{text('worlds.empty')}</option>
        </select>
      </label>
      <label class="field">
        <span>{text('worlds.newName')}</span>
        <input
          value={name}
          placeholder={text('worlds.generated')}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            name.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit" class="primary">
        {text('worlds.make')}
      </button>
    </form>
  )
}

function WorldTable({ entries, reload }: Changing & { readonly entries: readonly Entry[] }) {
  return (
    <div class="table-box" tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('worlds.name')}</th>
            <th scope="col">{text('column.status')}</th>
            <th scope="col">{text('worlds.origin')}</th>
            <th scope="col">{text('worlds.since')}</th>
            <th scope="col">
              <span class="visually-hidden">{text('worlds.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <WorldRow key={`${entry.name} ${entry.id}`} entry={entry} reload={reload} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function WorldRow({ entry, reload }: Changing & { readonly entry: Entry }) {
  const { name } = entry
  if (entry.status === 'ended') {
    return (
      <tr>
        <th scope="row">
          <bdi>{name}</bdi>
        </th>
        <td>
          <Mark tone="bad">{text(entry.ended_by === 'expiry' ? 'worlds.expired' : 'worlds.deleted')}</Mark>
        </td>
        <td />
        <td>
          <Moment at={entry.ended_at} withDay />
        </td>
        <td class="row-actions" />
      </tr>
    )
  }
  if (entry.status !== 'live') {
    return (
      <tr>
        <th scope="row">
          <bdi>{name}</bdi>
        </th>
        <td>
          <Mark tone={entry.status === 'broken' ? 'bad' : 'wait'}>
            {text(entry.status === 'broken' ? 'worlds.broken' : 'worlds.unread')}
          </Mark>
        </td>
        <td colspan={3}>
          <bdi>{[entry.problem, entry.remedy].filter(Boolean).join(' ')}</bdi>
        </td>
      </tr>
    )
  }
  const isHere = name === worldName
  return (
    <tr>
      <th scope="row">
        {isHere ? <bdi>{name}</bdi> : <a href={pageOf(name)}>{name}</a>}
        {isHere && <span class="tag">{text('worlds.here')}</span>}
      </th>
      <td>
        <Mark tone="good">{text('worlds.live')}</Mark>
      </td>
      <td>
        <bdi>{originOf(entry)}</bdi>
      </td>
      <td>
        <Moment at={entry.created_at} withDay />
      </td>
      <td class="row-actions">
        {name !== 'default' && (
          <button
            type="button"
            onClick={() =>
              void run(() => control('control.worlds.delete', { params: { name } }), text('worlds.deleted'), reload)
            }
          >
            {text('worlds.delete')} <span class="visually-hidden">{name}</span>
          </button>
        )}
      </td>
    </tr>
  )
}

function originOf({ made_from, forked_from }: Extract<Entry, { status: 'live' }>): string {
  if (forked_from) {
    const moment = forked_from.moment === null ? '' : `, ${forked_from.moment}`
    return `${text('worlds.fork', { world: forked_from.world })}${moment}`
  }
  return made_from.snapshot ?? made_from.seed ?? text('worlds.file')
}

function SnapshotForm({ reload }: Changing) {
  const name = useSignal('')
  return (
    <form
      class="form inline"
      onSubmit={(event) => {
        event.preventDefault()
        void run(
          () => control('control.snapshots.create', { body: { name: name.value } }),
          text('worlds.saved'),
          reload,
        )
      }}
    >
      <label class="field">
        <span>{text('worlds.snapshotName')}</span>
        <input
          required
          value={name}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            name.value = event.currentTarget.value
          }}
        />
      </label>
      <button type="submit">{text('worlds.save')}</button>
    </form>
  )
}

function Snapshots({ all, reload }: Changing & { readonly all: readonly Snapshot[] }) {
  if (all.length === 0) return <p class="soft">{text('worlds.noSnapshots')}</p>
  return (
    <ul class="plain-list">
      {all.map(({ name, world, taken_at, problem }) => (
        <li key={name}>
          <span class="grow">
            <bdi>{name}</bdi>{' '}
            {taken_at === null ? (
              <>
                <Mark tone="bad">{text('worlds.broken')}</Mark> <bdi class="soft">{problem}</bdi>
              </>
            ) : (
              <span class="soft">
                <bdi>{world}</bdi>, <Moment at={taken_at} withDay />
              </span>
            )}
          </span>
          {taken_at !== null && (
            <button
              type="button"
              onClick={() =>
                void run(
                  () => control('control.snapshots.restore', { params: { name } }),
                  text('worlds.restored'),
                  reload,
                )
              }
            >
              {text('worlds.restore')} <span class="visually-hidden">{name}</span>
            </button>
          )}
          <button
            type="button"
            onClick={() =>
              void run(
                () => control('control.snapshots.delete', { params: { name } }),
                text('worlds.snapshotDeleted'),
                reload,
              )
            }
          >
            {text('worlds.delete')} <span class="visually-hidden">{name}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Buttons that export the world to a file, import a world from a file, and reset the world. */
function Files({ reload }: Changing) {
  return (
    <div class="actions">
      <button
        type="button"
        onClick={() => void act(() => download('control.export', `${worldName}.sqlite`), text('worlds.exported'))}
      >
        {text('worlds.export')}
      </button>
      <label class="button">
        {text('worlds.import')}
        <input
          type="file"
          class="visually-hidden"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? []
            // Otherwise the browser reports no change if the user chooses the same file again.
            event.currentTarget.value = ''
            if (file) void run(() => upload('control.import', file), text('worlds.made'), reload)
          }}
        />
      </label>
      <button type="button" onClick={() => void run(() => control('control.reset'), text('worlds.wasReset'), reload)}>
        {text('worlds.reset')}
      </button>
    </div>
  )
}
