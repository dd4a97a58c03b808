//! Linking: the driver's assembler translates PTX to machine code of the current context's GPU.

use std::ffi::{CString, c_uint, c_void};

use cudarc::driver::sys::{CUjit_option, CUjitInputType};
use vyre_runtime::Error;

use crate::driver::context::Current;
use crate::driver::library::Failure;

/// Size of each log buffer, in bytes.
const LOG_BYTES: usize = 16 << 10;

/// Assembles PTX for the GPU of the current context.
#[expect(unsafe_code, reason = "the driver is a C library")]
pub(crate) fn link(current: &Current<'_>, text: &str) -> Result<Vec<u8>, Error> {
    let (driver, context) = (current.driver(), current.context);
    let text = CString::new(text).map_err(|error| Error::compile("the PTX emitter", error))?;
    let (mut info_log, mut error_log) = (vec![0_u8; LOG_BYTES], vec![0_u8; LOG_BYTES]);
    // The driver takes integer options, such as sizes, as pointer-sized integers.
    let size = std::ptr::without_provenance_mut::<c_void>(LOG_BYTES);
    let mut options: [c_uint; 5] = [
        CUjit_option::CU_JIT_INFO_LOG_BUFFER as c_uint,
        CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES as c_uint,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER as c_uint,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_uint,
        CUjit_option::CU_JIT_TARGET_FROM_CUCONTEXT as c_uint,
    ];
    let mut values: [*mut c_void; 5] =
        [info_log.as_mut_ptr().cast(), size, error_log.as_mut_ptr().cast(), size, std::ptr::null_mut()];
    let mut state = std::ptr::null_mut();
    let (mut code, mut length) = (std::ptr::null_mut(), 0_usize);
    let (ptx, name) = (CUjitInputType::CU_JIT_INPUT_PTX as c_uint, c"program.ptx");
    let bytes = text.as_bytes_with_nul();
    // SAFETY: a context is current on this thread. Options and logs stay in place until the link state is destroyed, and the
    // logs have the given sizes. The driver only reads the text, which is NUL-terminated. The code belongs to the link state
    // and is copied before the state is destroyed.
    let outcome = unsafe {
        let count = options.len() as c_uint;
        let created = (driver.cuLinkCreate_v2)(count, options.as_mut_ptr(), values.as_mut_ptr(), &raw mut state);
        Failure::check(created).and_then(|()| {
            let data = bytes.as_ptr().cast_mut().cast();
            let (no_options, no_values) = (std::ptr::null_mut(), std::ptr::null_mut());
            let added =
                (driver.cuLinkAddData_v2)(state, ptx, data, bytes.len(), name.as_ptr(), 0, no_options, no_values);
            let linked = Failure::check(added)
                .and_then(|()| Failure::check((driver.cuLinkComplete)(state, &raw mut code, &raw mut length)))
                .map(|()| std::slice::from_raw_parts(code.cast::<u8>(), length).to_vec());
            (driver.cuLinkDestroy)(state);
            linked
        })
    };
    outcome.map_err(|failure| {
        // Only other failures are about the text.
        if failure.is_sticky() || failure.is_out_of_memory() {
            return context.failed("cuLinkComplete", failure);
        }
        let logs = [log_text(&error_log), log_text(&info_log)];
        let logs: Vec<&str> = logs.iter().map(String::as_str).filter(|log| !log.is_empty()).collect();
        Error::compile("the driver", format!("{failure}: {}", logs.join("; ")))
    })
}

/// Text of a NUL-terminated log, on one line.
fn log_text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).split_whitespace().collect::<Vec<_>>().join(" ")
}
