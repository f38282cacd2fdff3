//! Code pages by their numbers, as Windows and its files name them.

use encoding_rs::Encoding;

/// The code page of a font's character set.
pub(super) fn page_of_charset(charset: i32) -> Option<u32> {
    Some(match charset {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        130 => 1361,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        254 => 437,
        255 => 850,
        _ => return None,
    })
}

const PAGE_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const PAGE_850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// Bytes of a numbered code page as characters.
pub(super) fn from_code_page(bytes: &[u8], page: u32) -> String {
    let table = match page {
        437 => Some(PAGE_437),
        850 | 858 => Some(PAGE_850),
        _ => None,
    };
    if let Some(table) = table {
        let upper: Vec<char> = table.chars().collect();
        let char = |byte: &u8| match byte {
            0..128 => char::from(*byte),
            _ => upper.get(usize::from(*byte) - 128).copied().unwrap_or(' '),
        };
        return bytes.iter().map(char).collect();
    }
    let label = match page {
        932 => "shift_jis",
        936 => "gbk",
        949 | 1361 => "euc-kr",
        950 => "big5",
        866 => "ibm866",
        874 => "windows-874",
        1250 => "windows-1250",
        1251 => "windows-1251",
        1253 => "windows-1253",
        1254 => "windows-1254",
        1255 => "windows-1255",
        1256 => "windows-1256",
        1257 => "windows-1257",
        1258 => "windows-1258",
        10000 => "macintosh",
        10007 => "x-mac-cyrillic",
        20866 => "koi8-r",
        28592 => "iso-8859-2",
        28595 => "iso-8859-5",
        50220..=50222 => "iso-2022-jp",
        51932 => "euc-jp",
        51949 => "euc-kr",
        54936 => "gb18030",
        65001 => "utf-8",
        _ => "windows-1252",
    };
    let encoding = Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::WINDOWS_1252);
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}
