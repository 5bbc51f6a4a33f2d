// What a reader sees of the page at path, which is loaded into a frame.
// o: {content: [selector], except: [selector], lists: [selector], origins: [origin]}
async (path, o) => {
  const frame = document.createElement("iframe");
  frame.width = 1280;
  frame.height = 1024;
  frame.src = path;
  await new Promise((loaded) => {
    frame.onload = loaded;
    document.body.replaceChildren(frame);
  });
  return ask(frame.contentWindow, o);

  function ask({ document, location }, o) {
    const neutral = (url) => {
      for (const origin of [location.origin, ...o.origins])
        if (url === origin || url.startsWith(origin + "/")) return url.slice(origin.length) || "/";
      return url;
    };
    const all = (root, selector) => [...root.querySelectorAll(selector)];
    // Runs of white space are one space; what takes no place is nothing.
    const fold = (s) => s.replace(/[\u00AD\u200B\u2060\uFEFF]/g, "").replace(/\s+/g, " ").trim();
    const lines = (s) => s.replace(/[\u00AD\u200B\u2060\uFEFF]/g, "").replace(/[ \t]+$/gm, "").replace(/^\n+|\n+$/g, "");
    const attr = (e, name) => e.getAttribute(name) ?? "";

    const head = [];
    const say = (name, value) => { value = fold(value); if (value) head.push(name + ": " + value); };
    say("title", document.title);
    say("lang", document.documentElement.lang);
    for (const m of all(document, "meta[content]")) {
      const name = (attr(m, "name") || attr(m, "property")).toLowerCase().trim();
      if (/^(description|keywords|author|robots)$|^(og|twitter):/.test(name) && name !== "og:updated_time") say(name, neutral(attr(m, "content").trim()));
    }
    for (const l of all(document, "link[rel~=canonical i][href]")) say("canonical", neutral(l.href));
    for (const l of all(document, "link[rel~=alternate i][hreflang][href]")) say("alternate " + l.hreflang, neutral(l.href));
    const sorted = (v) => {
      if (typeof v === "string") return neutral(v);
      if (Array.isArray(v)) return v.map(sorted);
      if (v && typeof v === "object") return Object.fromEntries(Object.keys(v).sort().filter((k) => k !== "dateModified").map((k) => [k, sorted(v[k])]));
      return v;
    };
    for (const s of all(document, 'script[type="application/ld+json" i]')) {
      let v;
      try { v = JSON.stringify(sorted(JSON.parse(s.textContent))); } catch { v = s.textContent; }
      say("json-ld", v);
    }
    head.sort();

    const list = o.lists.some((s) => document.querySelector(s));
    let found = [];
    for (const s of o.content) {
      found = all(document, s);
      if (found.length) break;
    }
    found = found.filter((e) => !found.some((f) => f !== e && f.contains(e)));
    if (!found.length) return { absent: true, list };

    for (const s of o.except) for (const f of found) for (const e of all(f, s)) e.remove();
    for (const f of found) {
      if (f.matches("details")) f.open = true;
      for (const d of all(f, "details")) d.open = true;
    }
    const out = { list, head, text: [], pre: [], links: [], media: [], alt: [] };
    // A link within the page leads to what stands there: its name does not matter.
    const target = (a) => {
      if (a.hash && a.href.split("#")[0] === location.href.split("#")[0]) {
        let id = a.hash.slice(1);
        try { id = decodeURIComponent(id); } catch {}
        const e = document.getElementById(id) ?? document.getElementsByName(id)[0];
        if (e && found.some((f) => f !== e && f.contains(e))) return "#→ " + fold(e.innerText ?? e.textContent).slice(0, 60);
        return "#" + id;
      }
      return neutral(a.href);
    };
    const each = (f, selector) => (f.matches(selector) ? [f] : []).concat(all(f, selector));
    for (const f of found) {
      out.text.push(...f.innerText.split("\n").map(fold).filter((l) => l));
      for (const e of each(f, "pre, textarea")) out.pre.push(lines(e.value ?? e.innerText));
      for (const e of each(f, "a[href], area[href]")) out.links.push(target(e));
      for (const e of each(f, "img, source, video, audio, iframe, embed, track, object, input[type=image]"))
        for (const name of ["src", "poster", "data"]) {
          const v = attr(e, name);
          if (v) out.media.push(e.localName + " " + neutral(v.startsWith("data:") ? v : new URL(v, document.baseURI).href));
        }
      for (const e of each(f, "img, area, input[type=image]")) if (attr(e, "alt")) out.alt.push(fold(attr(e, "alt")));
    }
    return out;
  }
}
