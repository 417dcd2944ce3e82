/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

#include "user/attach/target_memory.h"

#define PAGE_BYTES 4096u /* the smallest there is: only decides where reads of a text are cut */

int target_memory_read(uint32_t tgid, uint64_t address, void *buffer, size_t bytes)
{
	struct iovec local = {.iov_base = buffer, .iov_len = bytes};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = bytes};
	ssize_t got;

	if (!bytes)
		return 0;
	got = process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0);
	if (got == (ssize_t)bytes)
		return 0;
	if (got >= 0)
		return -EFAULT;
	return errno == EPERM ? -EACCES : -errno;
}

int target_memory_text(uint32_t tgid, uint64_t address, char *buffer, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) { /* page by page: the text may end just before unmapped memory */
		size_t step = PAGE_BYTES - (address + done) % PAGE_BYTES;
		const char *end;
		int err;

		if (step > bytes - done)
			step = bytes - done;
		err = target_memory_read(tgid, address + done, buffer + done, step);
		if (err)
			return err;
		end = memchr(buffer + done, '\0', step);
		if (end)
			return (int)(end - buffer);
		done += step;
	}
	buffer[bytes - 1] = '\0';
	return (int)(bytes - 1);
}
