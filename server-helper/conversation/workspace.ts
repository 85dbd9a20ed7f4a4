/** Pins each conversation to a workspace: made upstream on first need, remembered, never a visitor's choice. */
import type { WorkspaceOption } from '../config.ts';
import { HelperError } from '../errors.ts';
import { type ConversationRecord, type Store, toOwnerKeys } from '../store/store.ts';

export type Workspaces = {
  /**
   * @param gone the agent does not have it any more: another takes its place
   * @param onMade one was made for it at the agent, which has a number of them
   * @throws HelperError when no pin can be made: then the agent must not be asked
   */
  pin(conversation: ConversationRecord, gone?: string, onMade?: () => void): Promise<string>;
};

/** Makes a workspace at the agent and gives its uuid. */
type Create = (name: string) => Promise<string>;

export function createWorkspaces(option: WorkspaceOption, store: Store, create: Create): Workspaces {
  const isMaking = option === 'conversation' || option === 'visitor';
  // Two first turns of one visitor at the same moment must not make two workspaces.
  const making = new Map<string, Promise<string>>();

  const ofVisitor = async (owner: string, bot: string, gone: string | undefined, make: Create) => {
    const key = toOwnerKeys(owner, bot).workspace;
    const known = await store.recall(key);
    if (known !== undefined && known !== gone) return known;
    if (known !== undefined) await store.forget(key);
    let made = making.get(key);
    if (!made) {
      made = make('Visitor')
        .then((uuid) => keep(uuid, bot, () => store.remember(key, uuid)))
        .finally(() => making.delete(key));
      making.set(key, made);
    }
    return made;
  };
  /** One that was made and is then not the one that stands, is deleted again. */
  const keep = async <T extends string | undefined>(
    made: string,
    bot: string,
    write: () => Promise<T>,
  ): Promise<T> => {
    let stands: string | undefined;
    try {
      const kept = await write();
      stands = kept;
      return kept;
    } finally {
      if (stands !== made) await store.putLeftovers([{ kind: 'workspace', id: made, bot }]);
    }
  };
  /** A visitor who was erased while the workspace was made has none any more. */
  const pinVisitors = async (
    { id, owner, bot }: ConversationRecord,
    gone: string | undefined,
    make: Create,
  ) => {
    const workspace = await ofVisitor(owner, bot, gone, make);
    const stands = await store.pinWorkspace(id, workspace, 'visitor', gone);
    if (stands === undefined && (await store.listConversations(owner, bot, { limit: 1 })).length === 0) {
      await store.putLeftovers([{ kind: 'workspace', id: workspace, bot }]);
      await store.forget(toOwnerKeys(owner, bot).workspace);
    }
    return requirePin(stands);
  };
  const choose = async (conversation: ConversationRecord, gone: string | undefined, make: Create) => {
    const { id, owner, bot } = conversation;
    if (option === 'conversation') {
      const made = await make('Conversation');
      return requirePin(await keep(made, bot, () => store.pinWorkspace(id, made, 'conversation', gone)));
    }
    if (option === 'visitor') return pinVisitors(conversation, gone, make);
    const chosen = typeof option === 'function' ? await option({ owner, conversationId: id }) : option;
    if (gone !== undefined && chosen === gone) throw new HelperError('agent-refused');
    return requirePin(await store.pinWorkspace(id, requirePin(chosen), undefined, gone));
  };
  const requirePin = (workspace: string | undefined): string => {
    if (typeof workspace !== 'string' || workspace === '')
      throw new HelperError('internal', 'The option workspace gave no uuid');
    return workspace;
  };

  return {
    async pin(conversation, gone, onMade) {
      const { workspace, bot } = conversation;
      if (workspace && workspace !== gone) return workspace;
      const pinned = await choose(conversation, gone, async (name) => {
        const made = await create(name);
        onMade?.();
        return made;
      });
      const isMadeHere = workspace === gone ? conversation.workspaceOf !== undefined : isMaking;
      // The agent may have been wrong, and what was made here is not left there.
      if (gone !== undefined && gone !== pinned && isMadeHere)
        await store.putLeftovers([{ kind: 'workspace', id: gone, bot }]);
      return pinned;
    },
  };
}
