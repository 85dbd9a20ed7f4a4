// What the demo shop knows: its customers, their orders and its stock, as data with pure look-ups.

export interface Customer {
  email: string;
  name: string;
  externalId: string;
}

export type OrderStatus = 'waiting for stock' | 'being packed' | 'shipped' | 'delivered';

export interface OrderItem {
  /** The item number of the catalog, for example T-201. */
  item: string;
  name: string;
  quantity: number;
  priceUsd: number;
  size?: string;
}

/** Days count from the moment of asking, so that the demo never grows stale. */
export interface StoredOrder {
  orderNumber: string;
  ownerEmail: string;
  status: OrderStatus;
  placedDaysAgo: number;
  /** Absent until the order has a carrier. */
  carrier?: string;
  /** In days from now; negative for the day of a delivery that has happened. */
  etaInDays: number;
  shippingUsd: number;
  items: readonly OrderItem[];
}

export interface Order extends Omit<StoredOrder, 'placedDaysAgo' | 'etaInDays'> {
  /** ISO dates, always a Monday to Friday; for a delivered order `eta` is the day of delivery. */
  placedOn: string;
  eta: string;
  totalUsd: number;
  /** Present once the carrier has the parcel. */
  trackingNumber?: string;
}

interface StoredStock {
  product: string;
  item: string;
  priceUsd: number;
  quantity: number;
  restockInDays?: number;
  /** Pieces left in each size. */
  sizes?: Readonly<Record<string, number>>;
  /** Other words a visitor may use. */
  also?: string;
}

export interface Stock extends Omit<StoredStock, 'restockInDays' | 'also'> {
  inStock: boolean;
  /** ISO date; present only while nothing is in stock. */
  restockDate?: string;
}

export const customers: readonly Customer[] = [
  { email: 'ada@larkfield.example', name: 'Ada', externalId: 'customer-1001' },
  { email: 'ben@larkfield.example', name: 'Ben', externalId: 'customer-1002' },
];

const stock: readonly StoredStock[] = [
  { product: 'Skylark 2 tent', item: 'T-201', priceUsd: 389, quantity: 14, also: 'dome person' },
  { product: 'Skylark 2 footprint', item: 'T-211', priceUsd: 45, quantity: 31, also: 'groundsheet' },
  { product: 'Fieldhouse 4 tent', item: 'T-402', priceUsd: 529, quantity: 3, also: 'family person' },
  { product: 'Ridgeway 55 pack', item: 'P-551', priceUsd: 229, quantity: 19, sizes: { 'S/M': 7, 'M/L': 12 } },
  { product: 'Towpath 22 day pack', item: 'P-221', priceUsd: 98, quantity: 26 },
  { product: 'Kestrel canister stove', item: 'S-101', priceUsd: 64, quantity: 40, also: 'gas' },
  { product: 'Hearth two-burner stove', item: 'S-201', priceUsd: 139, quantity: 0, restockInDays: 12 },
  {
    product: 'Fellgate Mid boots',
    item: 'B-301',
    priceUsd: 198,
    quantity: 23,
    sizes: { 'women’s 8': 6, 'women’s 8.5': 2, 'women’s 9': 0, 'men’s 9': 5, 'men’s 10': 7, 'men’s 11': 3 },
    also: 'leather hiking',
  },
  {
    product: 'Drover Low shoes',
    item: 'B-302',
    priceUsd: 152,
    quantity: 0,
    restockInDays: 14,
    also: 'boots',
  },
  { product: 'Lark 20 down bag', item: 'Z-201', priceUsd: 329, quantity: 9, sizes: { Regular: 7, Long: 2 } },
  {
    product: 'Meadow 35 synthetic bag',
    item: 'Z-351',
    priceUsd: 149,
    quantity: 17,
    sizes: { Regular: 11, Long: 6 },
  },
];

function toItem(item: string, size?: string): OrderItem {
  const { product, priceUsd } = stock.find((candidate) => candidate.item === item)!;
  return { item, name: product, quantity: 1, priceUsd, ...(size !== undefined && { size }) };
}

export const orders: readonly StoredOrder[] = [
  {
    orderNumber: 'LF-10229',
    ownerEmail: 'ben@larkfield.example',
    status: 'delivered',
    placedDaysAgo: 24,
    carrier: 'Canada Post',
    etaInDays: -13,
    shippingUsd: 22,
    items: [toItem('P-551', 'M/L')],
  },
  {
    orderNumber: 'LF-10234',
    ownerEmail: 'ada@larkfield.example',
    status: 'shipped',
    placedDaysAgo: 4,
    carrier: 'UPS Ground',
    etaInDays: 2,
    shippingUsd: 0,
    items: [toItem('T-201'), toItem('T-211')],
  },
  {
    orderNumber: 'LF-10247',
    ownerEmail: 'ben@larkfield.example',
    status: 'shipped',
    placedDaysAgo: 6,
    carrier: 'Canada Post',
    etaInDays: 5,
    shippingUsd: 0,
    items: [toItem('Z-201', 'Long')],
  },
  {
    orderNumber: 'LF-10251',
    ownerEmail: 'ada@larkfield.example',
    status: 'delivered',
    placedDaysAgo: 16,
    carrier: 'UPS Ground',
    etaInDays: -11,
    shippingUsd: 0,
    items: [toItem('B-301', 'women’s 8.5')],
  },
  {
    orderNumber: 'LF-10268',
    ownerEmail: 'ada@larkfield.example',
    status: 'being packed',
    placedDaysAgo: 1,
    carrier: 'UPS Ground',
    etaInDays: 5,
    shippingUsd: 0,
    items: [toItem('S-101'), toItem('Z-351', 'Regular')],
  },
  {
    orderNumber: 'LF-10272',
    ownerEmail: 'ben@larkfield.example',
    status: 'waiting for stock',
    placedDaysAgo: 2,
    etaInDays: 23,
    shippingUsd: 22,
    items: [toItem('B-302', 'men’s 10')],
  },
];

const dayMs = 86_400_000;

/** The ISO date so many days from `now`; a weekend moves on to Monday, or back to Friday if that day has passed. */
function toBusinessDate(now: Date, days: number): string {
  const date = new Date(now.getTime() + days * dayMs);
  const weekday = date.getUTCDay();
  if (weekday === 6) date.setTime(date.getTime() + (days > 0 ? 2 : -1) * dayMs);
  if (weekday === 0) date.setTime(date.getTime() + (days > 0 ? 1 : -2) * dayMs);
  return date.toISOString().slice(0, 10);
}

function toOrder({ placedDaysAgo, etaInDays, ...order }: StoredOrder, now: Date): Order {
  const goodsUsd = order.items.reduce((sum, { priceUsd, quantity }) => sum + priceUsd * quantity, 0);
  return {
    ...order,
    placedOn: toBusinessDate(now, -placedDaysAgo),
    eta: toBusinessDate(now, etaInDays),
    totalUsd: goodsUsd + order.shippingUsd,
    ...((order.status === 'shipped' || order.status === 'delivered') && {
      trackingNumber: order.orderNumber.replace('LF-', 'DEMO-'),
    }),
  };
}

/** Lower-case words and numbers, without a plural s. */
function toWords(text: string): string[] {
  return (text.toLowerCase().match(/[a-z]+|\d+/g) ?? []).map((word) => word.replace(/(?<=..)s$/, ''));
}

/** The customer with this email address, in any case. */
export function readCustomer(email: string): Customer | undefined {
  return customers.find((customer) => customer.email === email.trim().toLowerCase());
}

/** The order with this number, written `LF-10234`, `lf 10234` or `10234`. The caller checks `ownerEmail`. */
export function readOrder(orderNumber: string, now: Date = new Date()): Order | undefined {
  const digits = /^\s*#?(?:lf)?[\s-]*(\d{5})\s*$/i.exec(orderNumber)?.[1];
  const order = orders.find((candidate) => candidate.orderNumber === `LF-${digits}`);
  return order && toOrder(order, now);
}

/** All orders of one customer, newest first. */
export function readOrdersOf(ownerEmail: string, now: Date = new Date()): Order[] {
  return orders
    .filter((order) => order.ownerEmail === ownerEmail.trim().toLowerCase())
    .map((order) => toOrder(order, now))
    .sort((a, b) => b.placedOn.localeCompare(a.placedOn));
}

/**
 * The stock of the product that best fits these words: its name, part of its name, an item number or a plain
 * description. A word of the name counts more than a description, and of two equal fits the first in the
 * catalog wins. Nothing known in the words: undefined.
 */
export function readStock(product: string, now: Date = new Date()): Stock | undefined {
  const asked = toWords(product);
  const itemNumber = product.trim().toUpperCase();
  let best: StoredStock | undefined;
  let bestScore = 0;
  for (const candidate of stock) {
    const [unique, ...shared] = toWords(candidate.product);
    const also = toWords(candidate.also ?? '');
    let score = candidate.item === itemNumber ? 100 : 0;
    for (const word of asked) {
      // The first word of a name ("Skylark") is its own; the others ("tent") are shared by several products.
      if (word === unique) score += 8;
      else if (shared.some((part) => word === part || (part.length > 3 && word.endsWith(part)))) score += 3;
      else if (also.includes(word)) score += 2;
    }
    if (score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  if (!best) return undefined;
  const { also: _, restockInDays, ...rest } = best;
  return {
    ...rest,
    inStock: best.quantity > 0,
    ...(restockInDays !== undefined && { restockDate: toBusinessDate(now, restockInDays) }),
  };
}
