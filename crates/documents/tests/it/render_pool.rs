//! Documents set to pages.

use ibid_documents::{
    render_pool::{RenderError, RenderOutput, RenderRequest, RenderTarget, TypesetterPool},
    template::{self, TemplateInput},
};
use ibid_domain::Template;

fn order(template: Template, text: &str, want: RenderTarget) -> RenderRequest {
    let frame = TemplateInput {
        title: "On #rain [and] \"snow\"".to_owned(),
        authors: vec!["A. Sample".to_owned()],
        date: Some("May 2024".to_owned()),
        locale: "en-GB".to_owned(),
        template,
    };
    RenderRequest {
        key: "one".to_owned(),
        main: frame.main(""),
        template: template::template_source(template).to_owned(),
        text: text.to_owned(),
        files: vec![("dot.svg".to_owned(), b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>".to_vec())],
        want,
    }
}

fn made(order: RenderRequest) -> RenderOutput {
    TypesetterPool::default().render(order).unwrap()
}

#[test]
fn every_template_sets_a_text() {
    for template in Template::ALL {
        let made = made(order(*template, "= One\nWords#footnote[A note].\n\n#image(\"dot.svg\")", RenderTarget::Pdf));
        assert!(made.bytes.starts_with(b"%PDF-") && made.page_count > 0, "{template:?}");
        assert_eq!(made.warnings, [], "{template:?}");
    }
}

#[test]
fn a_page_is_a_picture_too() {
    let svg = made(order(Template::Article, "Words", RenderTarget::Svg { page: 1 }));
    assert!(svg.bytes.starts_with(b"<svg"));
    let png = made(order(Template::Article, "Words", RenderTarget::Png { page: 1, dots: 1.0 }));
    assert!(png.bytes.starts_with(b"\x89PNG"));
    let none = TypesetterPool::default().render(order(Template::Article, "Words", RenderTarget::Svg { page: 2 }));
    assert_eq!(none, Err(RenderError::NoSuchPage(1)));
}

#[test]
fn only_pages_that_changed_are_told_again() {
    let mut room = TypesetterPool::default();
    let text = "One\n#pagebreak()\nTwo\n#pagebreak()\nThree";
    let preview = |known| RenderTarget::Preview { from: 1, to: 9, known };
    let first = room.render(order(Template::Article, text, preview(vec![]))).unwrap();
    assert_eq!((first.page_count, first.pages.len()), (3, 3));
    assert!(first.pages.iter().all(|page| page.svg.is_some() && page.width > 500.0));
    let known: Vec<String> = first.pages.iter().map(|page| page.hash.clone()).collect();
    let again = room.render(order(Template::Article, &text.replace("Two", "Zwei"), preview(known))).unwrap();
    let told: Vec<usize> = again.pages.iter().filter(|page| page.svg.is_some()).map(|page| page.number).collect();
    assert_eq!(told, [2]);
}

#[test]
fn nothing_outside_is_read() {
    for (text, said) in [
        ("#read(\"/etc/passwd\")", "no file 'etc/passwd'"),
        ("#read(\"../../etc/passwd\")", "escape"),
        ("#image(\"/main.typ\")", "no file 'main.typ'"),
        ("#import \"@preview/cetz:0.3.0\": canvas", "packages are not available"),
        ("#include \"/template.typo\"", "no file"),
        ("#plugin(\"x.wasm\")", "no file 'x.wasm'"),
        ("#panic(\"at the disco\")", "at the disco"),
        ("#while true {}", "always true"),
        ("#let i = 0\n#while i < 1 { i = i - 1 }", "infinite"),
        ("#let f() = f(); #f()", "depth"),
    ] {
        let Err(RenderError::Faults(faults)) =
            TypesetterPool::default().render(order(Template::None, text, RenderTarget::Pdf))
        else {
            panic!("{text} was set")
        };
        let told = faults.iter().map(|fault| fault.message.as_str()).collect::<Vec<_>>().join("; ");
        assert!(told.contains(said), "{text}: {told}");
    }
}

#[test]
fn faults_have_their_place() {
    let Err(RenderError::Faults(faults)) =
        TypesetterPool::default().render(order(Template::Article, "Fine\nnot #unknown fine", RenderTarget::Pdf))
    else {
        panic!("it was set")
    };
    let fault = &faults[0];
    assert_eq!((fault.file.as_deref(), fault.line, fault.column), (Some("document.typ"), Some(2), Some(6)));
    assert!(fault.message.contains("unknown variable"), "{fault:?}");
}

#[test]
fn html_holds_words_and_nothing_that_runs() {
    let text = "= One\nWords#footnote[A note] and #link(\"https://example.org\")[a link], #link(\"javascript:alert(1)\")[bad].\n\
                #html.elem(\"script\")[alert(1)] #html.elem(\"p\", attrs: (onclick: \"x()\", class: \"y\"))[kept]\n\
                #html.elem(\"iframe\", attrs: (src: \"https://evil.example\"))[framed]";
    let html = String::from_utf8(made(order(Template::Article, text, RenderTarget::Html)).bytes).unwrap();
    for there in ["One</h", "A note", "href=\"https://example.org\"", "class=\"y\"", "kept"] {
        assert!(html.contains(there), "{there}: {html}");
    }
    for gone in ["<script", "alert", "onclick", "javascript:", "iframe", "evil"] {
        assert!(!html.contains(gone), "{gone}: {html}");
    }
}
