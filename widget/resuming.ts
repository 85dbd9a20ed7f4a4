/** Takes up what the visitor left on the pages before: when somebody is there, and when the browser puts this page back. */
import type { Conversation } from './state/conversation.ts';
import type { Memory } from './state/memory.ts';
import type { Panel } from './state/panel.ts';
import { isSmall } from './view/dialog.ts';

type ResumingDeps = {
  memory: Memory;
  /** Made after this one, as the next are. */
  conversation: () => Conversation;
  panel: () => Panel;
  isSettled: () => boolean;
};

export function createResuming({ memory, conversation, panel, isSettled }: ResumingDeps) {
  let resumes = 0;
  /** The pages in between have gone on with the chat, and it is not known yet who is there. */
  let isBack = false;
  const resuming = {
    /** What is asked meanwhile comes after it. */
    isBusy: false,
    async resume(): Promise<void> {
      resumes += 1;
      const mine = resumes;
      resuming.isBusy = true;
      // What cannot be loaded is said where it would stand.
      await conversation()
        .resume()
        .catch(() => {});
      if (mine !== resumes) return;
      resuming.isBusy = false;
      conversation().release();
    },
    /** The browser has put the page back as it was left. */
    onBack(): void {
      const { isOpen, setOpen } = panel();
      // In a small window it would stand in the way of the page that Back was to bring.
      setOpen(memory.read().open === true && (isOpen.value || !isSmall.value));
      panel().backs.value += 1;
      isBack = true;
      resuming.takeUp();
    },
    takeUp(): void {
      if (!isBack || !isSettled()) return;
      isBack = false;
      void resuming.resume();
    },
  };
  return resuming;
}
