import { Help } from './help';

export default function Page() {
  return (
    <main>
      <Help />
    </main>
  );
}
