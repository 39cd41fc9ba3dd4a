import { defaultProfile, profileInUse, savedSetting } from '../config/profile.ts'
import type { Globals } from '../run/invocation.ts'
import { languageOfCommand, translatorOf } from '../run/language.ts'
import { languageOf } from '../run/locale.ts'
import type { ReportOptions } from '../run/report.ts'
import { wantsColour } from '../run/style.ts'
import type { Context } from './command.ts'
import { globalOptions, readFlag, takesValue } from './global_options.ts'
import { adviceOf, baseUrlOf } from './next_step.ts'

interface FailedRun {
  readonly context: Pick<Context, 'io' | 'env' | 'signal' | 'config'>
  /** Undefined if the command line could not be parsed: the flags are then read from `argv`. */
  readonly globals: Globals | undefined
  readonly path: readonly string[] | undefined
  readonly argv: readonly string[]
}

export function reportOptionsOf({ context, globals: parsed, path, argv }: FailedRun): ReportOptions {
  const { io, env, signal } = context
  const globals = parsed ?? globalsIn(argv)
  const ofConfig = <Setting>(read: (...place: Parameters<typeof profileInUse>) => Setting) => {
    try {
      return read(globals, env, () => context.config)
    } catch {
      return undefined // reported elsewhere
    }
  }
  const saved = (key: 'output' | 'lang') => ofConfig((...place) => savedSetting(key, ...place))
  const format = globals.output ?? env.PAYCTL_OUTPUT ?? saved('output')
  return {
    stderr: io.stderr,
    json: globals.json === true || globals.jq !== undefined || format === 'json' || format === 'ndjson',
    colour: wantsColour(globals, env, io.stderr.isTTY === true),
    debug: env.PAYCTL_DEBUG !== undefined,
    interrupted: signal.aborted,
    translator: () => {
      const sources = { flag: globals.lang, env, ofProfile: () => saved('lang') }
      return translatorOf(parsed === undefined ? languageOf(sources) : languageOfCommand({ path, ...sources }))
    },
    adviceOf: async (step) => {
      const profile = ofConfig(profileInUse) ?? defaultProfile
      const baseUrl = baseUrlOf(profile, { globals, env, readConfig: () => context.config })
      return adviceOf(step, { globals, profile: () => profile, path, baseUrl })
    },
  }
}

/** Global flags with unchecked values. */
type GivenGlobals = Pick<
  Globals,
  'profile' | 'emulator' | 'baseUrl' | 'authUrl' | 'output' | 'json' | 'jq' | 'color' | 'lang'
>

/** Global flags found in a command line that could not be parsed; their values are unchecked. */
function globalsIn(argv: readonly string[]): GivenGlobals {
  const globals: Record<string, unknown> = {}
  for (let at = 0; at < argv.length && argv[at] !== '--'; at += 1) {
    const { option, value } = readFlag(globalOptions, argv[at] ?? '')
    const name = option?.attributeName() ?? ''
    if (option?.required) globals[name] = value ?? argv[++at]
    else if (option && takesValue(option)) globals[name] = value || true
    else if (option && value === undefined) globals[name] = !option.negate
  }
  return globals
}
