import { MillraceError } from '#errors';
import { CounterCell, GaugeCell, HistogramCell } from './metric-cells.ts';

export type { Counter, Gauge, Histogram } from './metric-cells.ts';

export type MetricType = 'counter' | 'gauge' | 'histogram';

export interface MetricOptions {
  /** `[a-zA-Z_:][a-zA-Z0-9_:]*`; counters end in `_total`, times are seconds, sizes bytes. */
  readonly name: string;
  readonly help: string;
  /** Names of the labels, in the order in which `with` takes their values. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** What the gauges of several processes are together; their sum when absent. */
  readonly combine?: MetricCombination;
}

export type MetricCombination = 'sum' | 'max' | 'min';

/** All children of one metric: one per combination of label values. */
export interface MetricFamily<Child> {
  /**
   * The child for these label values. Callers on the path of a message resolve it once and keep it. Beyond the
   * registry's limit of children all further combinations share one, whose labels read `_other`.
   */
  with(...values: readonly string[]): Child;
  /** Forgets a child, as when its artifact is undeployed. */
  remove(...values: readonly string[]): void;
  /** Whether there is a child for these label values. */
  has(...values: readonly string[]): boolean;
}

/** A family as a reader of the values sees it. */
export interface MetricView {
  readonly type: MetricType;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly combine: MetricCombination;
  readonly children: Iterable<readonly [values: readonly string[], cell: CounterCell | GaugeCell | HistogramCell]>;
}

/** Every metric of a process. */
export interface Metrics {
  counter(options: MetricOptions): MetricFamily<CounterCell>;
  gauge(options: MetricOptions): MetricFamily<GaugeCell>;
  histogram(options: MetricOptions): MetricFamily<HistogramCell>;
  /** Runs `update` before each reading of the values, for what is cheaper to read than to follow. */
  onCollect(update: () => void): Disposable;
  /** The current values, families in the order of their declaration. */
  collect(): readonly MetricView[];
}

/** Seconds; from half a millisecond to ten seconds. */
const defaultBuckets: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * Makes an empty registry. A metric that is declared twice with the same type and labels is the same metric.
 *
 * @param childLimit most children of one family
 */
export function createMetrics(childLimit = 10_000): Metrics {
  const families = new Map<string, Family<CounterCell | GaugeCell | HistogramCell>>();
  const updates = new Set<() => void>();

  const declare = <Cell extends CounterCell | GaugeCell | HistogramCell>(
    type: MetricType,
    options: MetricOptions,
    create: () => Cell,
  ): MetricFamily<Cell> => {
    const present = families.get(options.name);
    if (!present) {
      const family = new Family(type, options, { create, childLimit });
      families.set(options.name, family);
      return family;
    }
    if (present.type !== type || present.labels.join() !== (options.labels ?? []).join()) {
      throw metricError(
        'DUPLICATE',
        `"${options.name}" is declared already as ${present.type}(${present.labels.join()})`,
      );
    }
    return present as Family<Cell>;
  };

  return {
    counter: (options) => declare('counter', options, () => new CounterCell()),
    gauge: (options) => declare('gauge', options, () => new GaugeCell()),
    histogram(options) {
      const buckets = options.buckets ?? defaultBuckets;
      return declare('histogram', options, () => new HistogramCell(buckets));
    },
    onCollect(update) {
      updates.add(update);
      return { [Symbol.dispose]: () => void updates.delete(update) };
    },
    collect() {
      for (const update of updates) update();
      return [...families.values()];
    },
  };
}

class Family<Cell> implements MetricFamily<Cell> {
  readonly type: MetricType;
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly combine: MetricCombination;
  readonly #create: () => Cell;
  readonly #childLimit: number;
  readonly #cells = new Map<string, readonly [readonly string[], Cell]>();

  constructor(type: MetricType, options: MetricOptions, make: { create: () => Cell; childLimit: number }) {
    const { name, help, labels = [], combine = 'sum' } = options;
    const wrong = metricName.test(name) ? labels.find((label) => !labelName.test(label)) : name;
    if (wrong !== undefined) throw metricError('NAME', `"${wrong}" is no name for a metric or label`);
    this.type = type;
    this.name = name;
    this.help = help;
    this.labels = labels;
    this.combine = combine;
    this.#create = make.create;
    this.#childLimit = make.childLimit;
  }

  get children(): Iterable<readonly [readonly string[], Cell]> {
    return this.#cells.values();
  }

  with(...values: readonly string[]): Cell {
    if (values.length !== this.labels.length) {
      throw metricError('LABELS', `"${this.name}" takes ${this.labels.length} label values, not ${values.length}`);
    }
    const child = this.#cells.get(keyOf(values));
    if (child) return child[1];
    const isFull = this.#cells.size >= this.#childLimit && values.some((value) => value !== '_other');
    return isFull ? this.with(...values.map(() => '_other')) : this.#add(values);
  }

  remove(...values: readonly string[]): void {
    this.#cells.delete(keyOf(values));
  }

  has(...values: readonly string[]): boolean {
    return this.#cells.has(keyOf(values));
  }

  #add(values: readonly string[]): Cell {
    const cell = this.#create();
    this.#cells.set(keyOf(values), [values, cell]);
    return cell;
  }
}

function keyOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : values.join('\u0000');
}

function metricError(what: string, message: string): MillraceError {
  return new MillraceError({ code: `MR_METRIC_${what}`, message });
}
