import type { Page } from 'playwright-core'

// Functions for the page are strings, because the project's types have no DOM.

/** Pixels by which the page is wider than the window. */
export const overflow = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

/** Elements that reach beyond the window, unless a box within a view scrolls or shortens them. */
export const cutOff = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`{
    const isReached = (element) => {
      for (let at = element; at && !at.matches('body, main, .view, .detail'); at = at.parentElement) {
        const { overflowX, textOverflow, position, clipPath } = getComputedStyle(at)
        const isHidden = position === 'absolute' && clipPath !== 'none'
        if (isHidden || textOverflow === 'ellipsis') return true
        if (/auto|scroll/.test(overflowX) && at.getBoundingClientRect().right <= innerWidth + 1) return true
      }
      return false
    }
    ;[...document.body.querySelectorAll('*')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => !isReached(element))
      .map((element) => element.outerHTML.slice(0, 120))
  }`)

export interface Colours {
  readonly text: string
  readonly behind: string
}

/** For every text on the page: its colour, and the colour of its background. */
export const textColours = (page: Page): Promise<readonly Colours[]> =>
  page.evaluate(`{
    const behind = (element) => {
      const { backgroundColor } = getComputedStyle(element)
      return backgroundColor.endsWith(', 0)') && element.parentElement ? behind(element.parentElement) : backgroundColor
    }
    const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== ''
    ;[...document.body.querySelectorAll('*')]
      .filter((element) => [...element.childNodes].some(isText))
      .map((element) => ({ text: getComputedStyle(element).color, behind: behind(element) }))
  }`)

/** Contrast by WCAG 2, from 1 to 21. */
export function contrast({ text, behind }: Colours): number {
  const [dark = 0, light = 0] = [luminance(text), luminance(behind)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Luminance of a colour, from 0 (black) to 1 (white). */
export function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((channel) => linear(Number(channel) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
