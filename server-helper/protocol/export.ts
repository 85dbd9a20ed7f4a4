/** What `GET /visitor` gives. */
import type { Message, Visitor } from './wire.ts';

/** Everything of an owner: each conversation whole, its messages oldest first. */
export type VisitorExport = {
  visitor: Visitor;
  conversations: {
    id: string;
    title: string;
    createdAt: string;
    updatedAt: string;
    messages: Message[];
  }[];
};
