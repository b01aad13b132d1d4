import type { Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import type { Service } from './service.ts';

/** A port of a card: the node and the id of the handle. */
type PortPlace = readonly [nodeId: string, port: string];

interface GraphNode {
  readonly node_id: string;
  readonly component_type: string;
  readonly label: string | null;
  readonly position_x: number;
  readonly position_y: number;
  readonly config: Readonly<Record<string, unknown>>;
}

interface GraphEdge {
  readonly source_node_id: string;
  readonly target_node_id: string;
  readonly edge_label: string;
  readonly edge_type: string;
  readonly condition_value: string;
}

/** A workflow as the service has stored it. */
interface StoredWorkflow {
  readonly version: number;
  readonly published_version: number | null;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** The editor on a page, for the mouse and the keyboard. */
export class Editor {
  readonly #page: Page;
  readonly #service: Service;
  readonly slug: string;

  constructor(page: Page, service: Service, slug: string) {
    this.#page = page;
    this.#service = service;
    this.slug = slug;
  }

  /** Imports a text as a new workflow and opens it. */
  static async create(page: Page, service: Service, yaml: string): Promise<Editor> {
    const { slug } = await service.call<{ slug: string }>('workflows/import/', {
      method: 'POST',
      body: { yaml_str: yaml },
    });
    const editor = new Editor(page, service, slug);
    await editor.open();
    return editor;
  }

  /** The editor that the page has opened. */
  static async opened(page: Page, service: Service): Promise<Editor> {
    await page.waitForURL(/\/w\/[^/]+$/);
    await page.locator('.react-flow__node').first().waitFor();
    return new Editor(page, service, page.url().replace(/^.*\//, ''));
  }

  async open(): Promise<void> {
    await this.#page.goto(`${this.#service.url}/w/${this.slug}`);
    await this.#page.locator('.react-flow__node').first().waitFor();
  }

  /** The card of a node. Cards have no role of their own, so they are found by the id of the node. */
  card(nodeId: string): Locator {
    return this.#page.locator(`.react-flow__node[data-id="${nodeId}"]`);
  }

  port([nodeId, port]: PortPlace): Locator {
    return this.card(nodeId).locator(`.react-flow__handle[data-handleid="${port}"]`);
  }

  /** Draws a connection from one port to another with the mouse. */
  async connect(from: PortPlace, to: PortPlace): Promise<void> {
    const [start, end] = [await centreOf(this.port(from)), await centreOf(this.port(to))];
    await this.#drag(start, end);
  }

  /** Draws a line from one port to another and holds it there, with the mouse button down. */
  async hold(from: PortPlace, to: PortPlace): Promise<void> {
    const [start, end] = [await centreOf(this.port(from)), await centreOf(this.port(to))];
    await this.#press(start, end);
  }

  /** Draws a line from a port to a place, so far from the port, with the mouse. */
  async pull(from: PortPlace, { dx, dy }: { readonly dx: number; readonly dy: number }): Promise<void> {
    const { x, y } = await centreOf(this.port(from));
    await this.#drag({ x, y }, { x: x + dx, y: y + dy });
  }

  /** Moves a card with the mouse. */
  async move(nodeId: string, dx: number, dy: number): Promise<void> {
    const { x, y } = await centreOf(this.card(nodeId));
    await this.#drag({ x, y }, { x: x + dx, y: y + dy });
  }

  /** Adds a node with the picker and returns its id. The picker leaves the inspector open. */
  async add(search: string): Promise<void> {
    await this.#page.getByRole('button', { name: 'Add node' }).click();
    await this.#page.getByRole('combobox', { name: 'Search node types' }).fill(search);
    await this.#page.keyboard.press('Enter');
    await this.#page.getByRole('combobox', { name: 'Search node types' }).waitFor({ state: 'detached' });
  }

  async undo(): Promise<void> {
    await this.#page.getByRole('button', { name: /^Undo/ }).click();
  }

  async redo(): Promise<void> {
    await this.#page.getByRole('button', { name: /^Redo/ }).click();
  }

  /** The workflow as the service has stored it now. */
  stored(): Promise<StoredWorkflow> {
    return this.#service.call<StoredWorkflow>(`workflows/${this.slug}/`);
  }

  /** Waits until what the service has stored passes a check. */
  async expectStored(check: (workflow: StoredWorkflow) => void): Promise<void> {
    await eventually(async () => failureOf(check, await this.stored())).toBeNull();
  }

  async #drag(from: Point, to: Point): Promise<void> {
    await this.#press(from, to);
    await this.#page.mouse.up();
  }

  async #press(from: Point, to: Point): Promise<void> {
    const { mouse } = this.#page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 6 });
    await mouse.move(to.x, to.y, { steps: 6 });
  }
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** The canvas moves for a moment, for example after "Fit view": the mouse goes to where the element stops. */
async function centreOf(locator: Locator): Promise<Point> {
  const element = await locator.elementHandle();
  await element?.waitForElementState('stable');
  const box = (await element?.boundingBox()) ?? null;
  if (box === null) throw new Error('The element is not on the page.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

function failureOf(check: (workflow: StoredWorkflow) => void, workflow: StoredWorkflow): string | null {
  try {
    check(workflow);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** The graph without the ids and times of its rows, in a fixed order: equal for graphs that mean the same. */
export function contentOf({ nodes, edges }: StoredWorkflow): object {
  const byName = (a: string, b: string): number => (a < b ? -1 : 1);
  return {
    nodes: nodes
      .map(({ node_id, component_type, label, position_x, position_y, config }) => {
        return JSON.stringify({ node_id, component_type, label, position_x, position_y, config });
      })
      .toSorted(byName),
    edges: edges
      .map(({ source_node_id: from, target_node_id: to, edge_label, edge_type, condition_value }) => {
        return [from, to, edge_label, edge_type, condition_value].join(' ');
      })
      .toSorted(byName),
  };
}
