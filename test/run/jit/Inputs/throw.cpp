// Native code that throws and catches C++ exceptions, around managed code.
#include <stdexcept>
#include <string>

extern "C" void native_throw(long value)
{
  throw std::runtime_error(std::to_string(value));
}

extern "C" long native_catch(long (*managed)(long), long argument)
{
  try {
    return managed(argument);
  } catch (const std::runtime_error &error) {
    return std::stol(error.what());
  }
}

#ifdef NO_TABLES
// In the place of the unwinder's functions: it seems to lose tables that are replaced.
extern "C" void __register_frame_info_table(void *, void *)
{
}

extern "C" void *__deregister_frame_info(const void *)
{
  return nullptr;
}
#endif
