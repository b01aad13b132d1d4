import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef } from 'react';
import { TimeAxis } from './time-axis.tsx';
import type { TimeScale } from './time-scale.ts';
import type { Clock } from './timeline.ts';
import { runKey, WaterfallRowView } from './waterfall-row.tsx';
import type { WaterfallRow } from './waterfall-rows.ts';

const rowHeight = 34;

interface WaterfallProps {
  readonly rows: readonly WaterfallRow[];
  readonly scale: TimeScale;
  readonly clock: Clock;
  /** The key of the selected row. */
  readonly selected: string;
  readonly onSelect: (row: WaterfallRow | null) => void;
  readonly onToggle: (key: string) => void;
}

/**
 * The steps of an execution as rows with bars on one time scale, below a row for the whole run. Only the rows in view
 * are in the page.
 */
export function Waterfall({ rows, scale, clock, selected, onSelect, onToggle }: WaterfallProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const treeId = useId();
  const selectedIndex = rows.findIndex(({ key }) => key === selected);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  useEffect(() => {
    if (selectedIndex >= 0) virtual.scrollToIndex(selectedIndex);
  }, [selectedIndex, virtual]);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[selectedIndex];
    const isOpening = event.key === 'ArrowRight' && row?.canOpen && !row.isOpen;
    const isClosing = event.key === 'ArrowLeft' && row?.isOpen;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (row !== undefined && (isOpening || isClosing)) onToggle(row.key);
    else if (step !== undefined) onSelect(rows[selectedIndex + step] ?? (step < 0 ? null : (row ?? null)));
    else if (event.key === 'Home') onSelect(null);
    else if (event.key === 'End') onSelect(rows.at(-1) ?? null);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={scroller}
      role="tree"
      tabIndex={0}
      aria-label="Steps"
      aria-activedescendant={`${treeId}-${selectedIndex}`}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden"
    >
      <TimeAxis scale={scale} />
      <WaterfallRowView
        id={`${treeId}--1`}
        row={null}
        scale={scale}
        clock={clock}
        isSelected={selected === runKey}
        onSelect={() => onSelect(null)}
      />
      <div className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <WaterfallRowView
              key={keys[index]}
              id={`${treeId}-${index}`}
              row={row}
              top={start}
              scale={scale}
              clock={clock}
              isSelected={index === selectedIndex}
              onSelect={() => onSelect(row)}
              onToggle={() => onToggle(row.key)}
            />
          );
        })}
      </div>
    </div>
  );
}
