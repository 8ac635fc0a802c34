import { useState } from "react";
import { createRoot } from "react-dom/client";

/** The payment of an order. React 19 gives a custom element its attributes, and `onpaid` listens to its event `paid`. */
function Payment({ checkoutUrl }) {
  const [result, setResult] = useState("");
  return (
    <main>
      <h1>Order 1042</h1>
      <pixgate-checkout
        src={checkoutUrl}
        locale="pt-BR"
        onpaid={() => setResult("Thank you. We are packing your order.")}
        onexpired={({ detail }) => setResult(`This Pix can no longer be paid (${detail.state}).`)}
        onerror={({ detail }) => setResult(`The payment cannot be shown now (${detail.message}).`)}
      />
      <p role="status">{result}</p>
    </main>
  );
}

// Your server gives `checkoutUrl` of the charge; here it stands in the page.
const root = document.getElementById("root");
createRoot(root).render(<Payment checkoutUrl={root.dataset.checkoutUrl} />);
