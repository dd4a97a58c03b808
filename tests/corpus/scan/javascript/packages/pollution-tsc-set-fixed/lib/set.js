// scan: sources=library
"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.setPath = setPath;
const UNSAFE = new Set(["__proto__", "constructor", "prototype"]);
function setPath(target, path, value) {
    const segments = toSegments(path);
    for (const segment of segments) {
        if (UNSAFE.has(segment)) {
            throw new Error(`unsafe segment: ${segment}`);
        }
    }
    let cursor = target;
    segments.forEach((segment, index) => {
        if (index === segments.length - 1) {
            cursor[segment] = value;
        }
        else {
            if (cursor[segment] === null || typeof cursor[segment] !== "object") {
                cursor[segment] = {};
            }
            cursor = cursor[segment];
        }
    });
    return target;
}
function toSegments(path) {
    if (Array.isArray(path))
        return path;
    return path.replace(/\[(\w+)\]/g, ".$1").split(".");
}
