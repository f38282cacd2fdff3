import { useEffect, useRef, type ReactNode } from "react";
import { Dialog as AriaDialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { Button } from "@/components/button";
import { CloseIcon } from "@/components/icons";
import styles from "@/components/dialog.module.css";

/** A dialog over the page: holds the focus, closes on Escape and beside it. */
export function Dialog({
  title,
  onClose,
  wide = false,
  children,
}: {
  title: string;
  onClose: () => void;
  /** For what is compared side by side. */ wide?: boolean;
  children: ReactNode;
}) {
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });

  useEffect(() => {
    // A control that had the focus and is gone or disabled leaves it to the page, where the overlay does not listen.
    function onKey(event: KeyboardEvent) {
      if (event.key === "Escape" && event.target === document.body) close.current();
    }
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);

  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className={styles.scrim}>
      <Modal className={wide ? `${styles.modal} ${styles.wide}` : styles.modal}>
        <AriaDialog className={styles.dialog}>
          <div className={styles.head}>
            <Heading slot="title" level={2}>
              {title}
            </Heading>
            <Button look="icon" aria-label="Close" onPress={onClose}>
              <CloseIcon />
            </Button>
          </div>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
