/** `<FileButton label={…} accept=".csv" onFile={…} />`: a button that asks for one file. */

import { useRef } from "preact/hooks";

interface FileButtonProps {
  readonly label: string;
  readonly accept: string;
  readonly disabled?: boolean;
  readonly onFile: (file: File) => void;
}

export function FileButton({ label, accept, disabled = false, onFile }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept={accept}
        tabIndex={-1}
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file !== undefined) onFile(file);
        }}
      />
    </>
  );
}
