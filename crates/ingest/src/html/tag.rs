//! The element names that mean something here.

macro_rules! tags {
    ($($variant:ident = $name:literal,)*) => {
        /// The name of an element. Those that no rule asks for are all `Other`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Tag {
            $($variant,)*
            Other,
        }

        impl Tag {
            /// The tag of a name, in whatever case it is written.
            pub(crate) fn of(name: &[u8]) -> Self {
                let mut lower = [0; 12];
                let Some(lower) = lower.get_mut(..name.len()) else { return Self::Other };
                lower.copy_from_slice(name);
                lower.make_ascii_lowercase();
                match &*lower {
                    $($name => Self::$variant,)*
                    _ => Self::Other,
                }
            }
        }
    };
}

tags! {
    A = b"a", Abbr = b"abbr", Address = b"address", Amp = b"amp-img", Applet = b"applet", Area = b"area",
    Article = b"article", Aside = b"aside", Audio = b"audio", B = b"b", Base = b"base", Big = b"big",
    Blockquote = b"blockquote", Body = b"body", Br = b"br", Button = b"button", Canvas = b"canvas",
    Caption = b"caption", Center = b"center", Cite = b"cite", Code = b"code", Col = b"col", Colgroup = b"colgroup",
    Datalist = b"datalist", Dd = b"dd", Del = b"del", Details = b"details", Dialog = b"dialog", Dir = b"dir",
    Div = b"div", Dl = b"dl", Dt = b"dt", Em = b"em", Embed = b"embed", Fieldset = b"fieldset",
    Figcaption = b"figcaption", Figure = b"figure", Font = b"font", Footer = b"footer", Form = b"form",
    Frameset = b"frameset", H1 = b"h1", H2 = b"h2", H3 = b"h3", H4 = b"h4", H5 = b"h5", H6 = b"h6", Head = b"head",
    Header = b"header", Hgroup = b"hgroup", Hr = b"hr", Html = b"html", I = b"i", Iframe = b"iframe", Img = b"img",
    Input = b"input", Ins = b"ins", Label = b"label", Legend = b"legend", Li = b"li", Link = b"link",
    Listing = b"listing", Main = b"main", Map = b"map", Marquee = b"marquee", Math = b"math", Menu = b"menu",
    Meta = b"meta", Meter = b"meter", Nav = b"nav", Nobr = b"nobr", Noembed = b"noembed", Noframes = b"noframes",
    Noscript = b"noscript", Object = b"object", Ol = b"ol", Optgroup = b"optgroup", Option = b"option", P = b"p",
    Param = b"param", Picture = b"picture", Pre = b"pre", Progress = b"progress", Q = b"q", Rp = b"rp", S = b"s",
    Script = b"script", Search = b"search", Section = b"section", Select = b"select", Small = b"small",
    Source = b"source", Span = b"span", Strike = b"strike", Strong = b"strong", Style = b"style", Sub = b"sub",
    Summary = b"summary", Sup = b"sup", Svg = b"svg", Table = b"table", Tbody = b"tbody", Td = b"td",
    Template = b"template", Textarea = b"textarea", Tfoot = b"tfoot", Th = b"th", Thead = b"thead", Time = b"time",
    Title = b"title", Tr = b"tr", Track = b"track", Tt = b"tt", U = b"u", Ul = b"ul", Video = b"video", Wbr = b"wbr",
    Xmp = b"xmp",
}

impl Tag {
    /// Returns true for elements without content or end tag, such as `<br>`.
    pub(crate) fn is_void(self) -> bool {
        use Tag::*;
        matches!(self, Area | Base | Br | Col | Embed | Hr | Img | Input | Link | Meta | Param | Source | Track | Wbr)
    }

    /// Returns true if the content is plain text up to the end tag, as in `<script>`.
    pub(crate) fn is_raw(self) -> bool {
        use Tag::*;
        matches!(self, Script | Style | Iframe | Noembed | Noframes | Noscript | Xmp | Textarea | Title)
    }

    /// Returns the level of a heading tag; `None` for other tags.
    pub(crate) fn heading_level(self) -> Option<u8> {
        use Tag::*;
        Some(match self {
            H1 => 1,
            H2 => 2,
            H3 => 3,
            H4 => 4,
            H5 => 5,
            H6 => 6,
            _ => return None,
        })
    }

    /// Returns true if the element separates its text from the text around it.
    pub(crate) fn is_block(self) -> bool {
        use Tag::*;
        self.heading_level().is_some()
            || matches!(
                self,
                Address
                    | Article
                    | Aside
                    | Blockquote
                    | Body
                    | Caption
                    | Center
                    | Dd
                    | Details
                    | Dialog
                    | Dir
                    | Div
                    | Dl
                    | Dt
                    | Fieldset
                    | Figcaption
                    | Figure
                    | Footer
                    | Form
                    | Frameset
                    | Header
                    | Hgroup
                    | Hr
                    | Html
                    | Legend
                    | Li
                    | Listing
                    | Main
                    | Menu
                    | Nav
                    | Ol
                    | Optgroup
                    | Option
                    | P
                    | Pre
                    | Search
                    | Section
                    | Summary
                    | Table
                    | Tbody
                    | Td
                    | Tfoot
                    | Th
                    | Thead
                    | Tr
                    | Ul
                    | Xmp
            )
    }

    /// Returns true if HTML allows the end tag to be omitted.
    pub(crate) fn ends_unsaid(self) -> bool {
        use Tag::*;
        matches!(self, Dd | Dt | Li | Option | P | Tbody | Td | Tfoot | Th | Thead | Tr)
    }

    /// Returns true if the content is never shown as text.
    pub(crate) fn is_unseen(self) -> bool {
        use Tag::*;
        matches!(
            self,
            Applet
                | Audio
                | Canvas
                | Datalist
                | Embed
                | Head
                | Iframe
                | Math
                | Noembed
                | Noframes
                | Noscript
                | Object
                | Rp
                | Script
                | Select
                | Style
                | Svg
                | Template
                | Textarea
                | Title
                | Video
        )
    }
}
