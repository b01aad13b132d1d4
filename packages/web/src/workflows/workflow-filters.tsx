import { Search, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { inputClasses } from '../ui/field.tsx';
import { stateCounts, tagCounts, type WorkflowRow } from './list-rows.ts';
import { filterCount, type StateFilter, stateFilters, type WorkflowsSearch } from './list-search.ts';

const stateNames: Readonly<Record<StateFilter, string>> = {
  failing: 'Last run failed',
  unpublished: 'Unpublished changes',
  inactive: 'Inactive',
};

/** Tags that are offered: more would push the list down the page. The others are found with the search. */
const maxTags = 12;

interface WorkflowFiltersProps {
  readonly search: WorkflowsSearch;
  /** All workflows. */
  readonly rows: readonly WorkflowRow[];
  readonly onChange: (search: WorkflowsSearch) => void;
}

/** The search, and filters that are switched on and off. */
export function WorkflowFilters({ search, rows, onChange }: WorkflowFiltersProps) {
  const { tags = [], state } = search;
  const field = useRef<HTMLInputElement>(null);
  // The field holds what is typed; the address follows later, and changes the field only while nobody types.
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current) field.current.value = search.q ?? '';
  }, [search.q]);
  const counts = stateCounts(rows);
  const frequent = tagCounts(rows);
  const offered = frequent.filter(([tag], index) => index < maxTags || tags.includes(tag));
  const toggleTag = (tag: string): void =>
    onChange({ ...search, tags: tags.includes(tag) ? tags.filter((other) => other !== tag) : [...tags, tag] });
  return (
    <search className="flex flex-wrap items-center gap-2">
      <label className="relative mr-1 w-64 max-sm:w-full">
        <span className="sr-only">Search workflows</span>
        <Search size={16} className="absolute top-2.5 left-2.5 text-muted" aria-hidden="true" />
        <input
          ref={field}
          type="search"
          className={`${inputClasses} pl-8`}
          placeholder="Name, slug or tag"
          defaultValue={search.q}
          onChange={({ target }) => onChange({ ...search, q: target.value })}
        />
      </label>
      {stateFilters
        .filter((name) => counts[name] > 0 || state === name)
        .map((name) => (
          <FilterChip
            key={name}
            isOn={state === name}
            count={counts[name]}
            onToggle={() => {
              const { state: _replaced, ...rest } = search;
              onChange(state === name ? rest : { ...rest, state: name });
            }}
          >
            {stateNames[name]}
          </FilterChip>
        ))}
      {offered.length > 0 && <span className="h-5 w-px bg-line" aria-hidden="true" />}
      {offered.map(([tag, n]) => (
        <FilterChip key={tag} isOn={tags.includes(tag)} count={n} onToggle={() => toggleTag(tag)}>
          <span className="sr-only">Tag </span>
          {tag}
        </FilterChip>
      ))}
      {filterCount(search) > 0 && (
        <Button kind="quiet" icon={<X size={14} aria-hidden="true" />} onClick={() => onChange({})}>
          Clear
        </Button>
      )}
    </search>
  );
}

interface FilterChipProps {
  readonly isOn: boolean;
  readonly count: number;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}

function FilterChip({ isOn, count, onToggle, children }: FilterChipProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={onToggle}
      className={classes(
        'inline-flex h-7 items-center gap-1.5 rounded-full border px-2.5 text-[12px]',
        isOn ? 'border-accent bg-accent-soft font-medium text-ink' : 'border-line bg-surface text-ink hover:bg-hover',
      )}
    >
      <span className="max-w-40 truncate">{children}</span>
      <span className="text-muted tabular-nums">{count}</span>
      {isOn && <X size={12} aria-hidden="true" />}
    </button>
  );
}
