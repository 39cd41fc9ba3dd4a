import { text } from '../frame/language.ts'
import { query } from '../frame/router.ts'
import { Empty, Heading } from '../parts/states.tsx'

/** The resources that a pasted id belongs to. */
export function Search() {
  const { q = '' } = query.value
  return (
    <div class="view">
      <Heading>{text('search.title')}</Heading>
      <Empty title={text('search.none')}>
        <p class="soft">
          <bdi>{q}</bdi>
        </p>
      </Empty>
    </div>
  )
}
