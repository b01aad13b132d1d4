import { applyEdgeChanges, applyNodeChanges, type EdgeChange, type NodeChange } from '@xyflow/react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Graph } from '../state/graph.ts';
import { type CardNode, cardsOf, type LineEdge, linesOf, type NodeTypes } from './flow.ts';

/** The cards of the graph, with what only this browser knows: which are selected, and where one is being dragged. */
export function useCards(graph: Graph, types: NodeTypes, selected: string | null) {
  const stored = useMemo(() => cardsOf(graph, types), [graph, types]);
  const [shown, setShown] = useState(stored);
  /** Nodes to be selected as soon as they are part of the graph. */
  const awaited = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const wanted = awaited.current;
    awaited.current = null;
    setShown((before) => {
      const known = new Map(before.map((card) => [card.id, card]));
      return stored.map((card) => {
        const old = known.get(card.id);
        const isSelected = wanted === null ? (old?.selected ?? false) : wanted.has(card.id);
        return old !== undefined && isSameCard(old, card) && old.selected === isSelected
          ? old
          : { ...card, selected: isSelected };
      });
    });
  }, [stored]);
  useEffect(() => {
    if (selected === null) return;
    setShown((before) => selectedOnly(before, new Set([selected])));
  }, [selected]);
  const change = useCallback(
    (changes: NodeChange<CardNode>[]): void => setShown((before) => applyNodeChanges(changes, before)),
    [],
  );
  const select = useCallback((names: ReadonlySet<string>, isNew = false): void => {
    if (isNew) awaited.current = names;
    else setShown((before) => selectedOnly(before, names));
  }, []);
  return { shown, change, select };
}

/** A card that is equal stays the same object, so that it is not drawn again. */
function isSameCard(old: CardNode, card: CardNode): boolean {
  return (
    old.data.node === card.data.node &&
    old.data.type === card.data.type &&
    old.data.used === card.data.used &&
    old.data.held === card.data.held &&
    old.data.model === card.data.model &&
    old.position.x === card.position.x &&
    old.position.y === card.position.y &&
    old.width === card.width &&
    old.height === card.height &&
    old.data.ports.length === card.data.ports.length
  );
}

function selectedOnly(cards: readonly CardNode[], names: ReadonlySet<string>): CardNode[] {
  return cards.map((card) =>
    (card.selected ?? false) === names.has(card.id) ? card : { ...card, selected: names.has(card.id) },
  );
}

/** The lines of the graph, with those that are selected. */
export function useLines(graph: Graph) {
  const stored = useMemo(() => linesOf(graph), [graph]);
  const [shown, setShown] = useState(stored);
  useEffect(() => {
    setShown((before) => {
      const chosen = new Set(before.flatMap(({ id, selected }) => (selected === true ? [id] : [])));
      return stored.map((line) => (chosen.has(line.id) ? { ...line, selected: true } : line));
    });
  }, [stored]);
  const change = useCallback(
    (changes: EdgeChange<LineEdge>[]): void => setShown((before) => applyEdgeChanges(changes, before)),
    [],
  );
  return { shown, change };
}
